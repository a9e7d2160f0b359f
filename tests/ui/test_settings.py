"""The settings panel and the settings are the same thing in two shapes."""

import gradio as gr

from rag.config import Settings
from rag.ui.settings import build_settings, read_settings
from rag.ui.strings import translations


def test_the_panel_as_it_opens_is_the_default_settings_with_their_hash() -> None:
    with gr.Blocks():
        panel = build_settings(gr.I18n(**translations()))
    shown = {component: component.value for component in panel.inputs()}
    # a browser has one kind of number: what is whole arrives as an int
    sent = {c: int(v) if isinstance(v, float) and v.is_integer() else v for c, v in shown.items()}
    for values in (shown, sent):
        assert read_settings(panel, values) == Settings()
        assert read_settings(panel, values).hash() == Settings().hash()
