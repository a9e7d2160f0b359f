"""How the page looks, and the scripts of its live parts. Static text: nothing of a document is ever put in."""

from __future__ import annotations

import gradio as gr

FONTS = ["system-ui", "-apple-system", "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "sans-serif"]
MONO = ["ui-monospace", "SFMono-Regular", "Menlo", "Consolas", "DejaVu Sans Mono", "Noto Sans Mono CJK SC", "monospace"]


def theme() -> gr.themes.Base:
    """A quiet theme whose colours pass the contrast check; system fonts, so nothing is fetched."""
    return gr.themes.Default(primary_hue="teal", neutral_hue="slate", radius_size="sm", font=FONTS, font_mono=MONO).set(
        body_background_fill="*neutral_50",
        body_background_fill_dark="*neutral_950",
        button_primary_background_fill="*primary_700",
        button_primary_background_fill_hover="*primary_800",
        button_primary_background_fill_dark="*primary_700",
        button_primary_background_fill_hover_dark="*primary_600",
        block_label_text_color="*neutral_700",
        body_text_color_subdued="*neutral_600",
        block_info_text_color="*neutral_600",
        block_title_text_color="*neutral_600",
        input_placeholder_color="*neutral_500",
        color_accent="*primary_700",
        block_shadow="none",
        block_shadow_dark="none",
    )


# The first mark of a freshly shown text is brought into the middle of its own box, at the latest when the tab it is in
# comes to the front; the page does not move.
SCROLL_TO_MARK = """
let due = true;
const scroll = () => requestAnimationFrame(() => {
  const box = element.querySelector('.doc'); if (!due || !box || !box.clientHeight) return;
  const mark = box.querySelector('.hit') || box.querySelector('.here') || box.querySelector('.chunk'); if (!mark) return;
  due = false;
  const shift = mark.getBoundingClientRect().top - box.getBoundingClientRect().top;
  box.scrollTop += shift - box.clientHeight / 3;
});
watch('value', () => { due = true; scroll(); });
new IntersectionObserver(scroll).observe(element);
"""

# As above; and the buttons around a part of a long text turn to the part beside it. The box keeps the focus they had.
VIEW_SCRIPT = (
    SCROLL_TO_MARK
    + """
let turned = false;
element.addEventListener('click', event => {
  const button = event.target.closest('button.turn'); if (!button) return;
  turned = true;
  trigger('turn', {at: Number(button.dataset.at)});
});
watch('value', () => requestAnimationFrame(() => {
  const box = element.querySelector('.doc');
  if (turned && box) box.focus({preventScroll: true});
  turned = false;
}));
"""
)

# Two splits of one text beside each other: who scrolls in one scrolls in the other.
COMPARE_SCRIPT = """
let leader = null;
const lead = event => { leader = event.target.closest ? event.target.closest('.doc') : null; };
for (const kind of ['pointerover', 'touchstart', 'focusin']) element.addEventListener(kind, lead, {passive: true});
element.addEventListener('scroll', event => {
  if (event.target !== leader) return;
  const room = box => Math.max(1, box.scrollHeight - box.clientHeight);
  const share = leader.scrollTop / room(leader);
  element.querySelectorAll('.doc').forEach(box => { if (box !== leader) box.scrollTop = share * room(box); });
}, true);
element.addEventListener('click', event => {
  const button = event.target.closest('button.turn');
  if (button) trigger('turn', {at: Number(button.dataset.at)});
});
"""

# As SCROLL_TO_MARK; and where source and answer are not side by side (a phone), the page goes to the source.
SCROLL_TO_SOURCE = (
    SCROLL_TO_MARK
    + """
watch('value', () => requestAnimationFrame(() => {
  if (element.querySelector('.doc') && window.innerWidth < 800) element.scrollIntoView({block: 'start'});
}));
"""
)

# Pieces {k, t, m, at, why} become text nodes and buttons; a piece that did not change keeps its element and focus.
ANSWER_SCRIPT = """
const box = element.querySelector('.answer');
const same = (node, piece) => node && node.piece && node.piece.k === piece.k && node.piece.m === piece.m
  && node.piece.at === piece.at && node.piece.s === piece.s;
const make = piece => {
  const cites = piece.m !== undefined, pressed = cites || piece.k === 'mark';
  const node = document.createElement(pressed ? 'button' : 'span');
  node.className = cites ? 'cite ' + piece.k : piece.k === 'mark' ? 'mark ' + piece.s : piece.k;
  if (pressed) { node.type = 'button'; node.setAttribute('aria-label', cites ? piece.t : piece.why); }
  if (piece.why) node.title = piece.why;
  return node;
};
const render = () => {
  const pieces = Array.isArray(props.value) ? props.value : [];
  // on a phone the answer begins below the screen
  if (!box.childNodes.length && pieces.length && window.innerWidth < 800) element.scrollIntoView({block: 'center'});
  while (box.childNodes.length > pieces.length) box.lastChild.remove();
  pieces.forEach((piece, i) => {
    let node = box.childNodes[i];
    if (!same(node, piece)) {
      const fresh = make(piece);
      node ? box.replaceChild(fresh, node) : box.appendChild(fresh);
      node = fresh;
    }
    node.piece = piece;
    const shown = piece.k === 'invalid' ? piece.t + ' ' + piece.why : piece.t;
    if (node.textContent !== shown) node.textContent = shown;
  });
};
render();
watch('value', render);
element.addEventListener('click', event => {
  const button = event.target.closest('.cite, .mark'); if (!button) return;
  box.querySelectorAll('.open').forEach(b => b.classList.remove('open'));
  button.classList.add('open');
  if (button.piece.k === 'mark') trigger('why', {start: Number(button.piece.at)});
  else trigger('cite', {marker: button.piece.m, start: Number(button.piece.at)});
});
"""

# The example questions as buttons, the later ones behind a toggle; the chosen one goes to the server by its number.
EXAMPLES_SCRIPT = """
const box = element.querySelector('.chips');
const chip = (text, press) => {
  const button = document.createElement('button');
  button.type = 'button'; button.className = 'chip'; button.textContent = text;
  button.addEventListener('click', press);
  return button;
};
let open = false;
const render = () => {
  const given = props.value || {}, questions = given.questions || [];
  const shown = questions.slice(0, open ? questions.length : given.shown);
  box.replaceChildren(...shown.map((question, n) => chip(question, () => trigger('choose', {n}))));
  if (questions.length <= given.shown) return;
  const toggle = chip(open ? given.fewer : given.more, () => { open = !open; render(); box.lastChild.focus(); });
  toggle.classList.add('toggle'); toggle.setAttribute('aria-expanded', open);
  box.append(toggle);
};
render();
watch('value', render);
"""

# A file {name, mime, base64} that the server set becomes a download; no file is ever written on the server.
SAVE_SCRIPT = """
watch('value', () => {
  const file = props.value; if (!file || !file.base64) return;
  const bytes = Uint8Array.from(atob(file.base64), c => c.charCodeAt(0));
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([bytes], {type: file.mime}));
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
});
"""

CSS = """
.gradio-container{width:100%;min-width:0;box-sizing:border-box;max-width:1240px!important;margin:0 auto!important;--ink:var(--body-text-color);--soft:#475569;
 --line:var(--border-color-primary);--paper:var(--block-background-fill);--accent:#0f766e;--accent-soft:#ccfbf1;--odd:#eef2f7;--even:#e3ebe6;
 --over:#fcd9a4;--hit:#fde68a;--bad:#b91c1c;--warn:#92400e;--good:#166534;--rules:#94a3b8;--ev:#0d9488;--qu:#b45309;--tpl:#64748b}
.dark .gradio-container,.gradio-container.dark{--soft:#a3b1c4;--accent:#5eead4;--accent-soft:#134e4a;--odd:#2c3b54;--even:#214239;--over:#6b4410;--hit:#6b5310;
 --bad:#fca5a5;--warn:#fcd34d;--good:#86efac}
.gradio-container .html-container{padding:0!important}
.gradio-container .column,.gradio-container .form{gap:.7rem}
.gradio-container .tabitem{padding:.5rem 0}
#chunk-table .virtual-row,#cand-table .virtual-row{font-family:var(--font);font-size:.82rem;font-variant-numeric:tabular-nums;cursor:pointer}
.gradio-container main,.gradio-container .wrap,.gradio-container .column,.gradio-container .block,.gradio-container .tabs,.gradio-container .prose{min-width:0;max-width:100%}
.dark .gradio-container [role=tab][aria-selected=true]{color:#5eead4}
.gradio-container .cm-gutterElement,.gradio-container .or{color:var(--soft)!important}
#title h1{font-size:1.45rem;font-weight:650;letter-spacing:-.01em;margin:.2rem 0 0}
#what p{color:var(--soft);margin:0}
.models{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 2rem;align-items:baseline;margin:0;padding:.35rem 0;font-size:.82rem;color:var(--soft);border-block:1px solid var(--line)}
.models li{display:inline-flex;flex-wrap:wrap;gap:.15rem .4rem;align-items:baseline;margin:0;overflow-wrap:anywhere}
.models summary{cursor:pointer;display:inline-flex;flex-wrap:wrap;gap:.15rem .4rem;align-items:baseline}.models summary::-webkit-details-marker{display:none}
.models summary .state{text-decoration:underline dotted;text-underline-offset:3px}.models b{color:var(--ink);font-weight:600}.models .name{font-family:var(--font-mono);font-size:.95em}.models .note{opacity:.85}
.models .failed .state,.models .consequence{color:var(--bad)}
.dot{width:.55em;height:.55em;border-radius:50%;background:var(--rules);display:inline-block;flex:none;align-self:center}
.ready .dot,.end .dot{background:#0d9488}.failed .dot{background:#dc2626}.doubt .dot{background:#d97706}.fetching .dot,.loading .dot,.busy .dot{background:#d97706;animation:pulse 1.2s infinite}
@keyframes pulse{50%{opacity:.25}}
/* Gradio writes a field's value once more in the frame after its accordion opened: what was entered before that would
be lost, so that nothing can be */
:is(#try-split,#settings,#eval-edit,#eval-compare) .block{animation:settle .1s}
@keyframes settle{0%,100%{visibility:hidden}}
@media (prefers-reduced-motion:reduce){.dot{animation:none!important}}
.chips{display:flex;flex-wrap:wrap;gap:.4rem}
.gradio-container button.chip{font-weight:400}.chip{border:1px solid var(--line);background:var(--paper);color:var(--ink);border-radius:999px;padding:.3rem .75rem;font-size:.84rem;cursor:pointer;text-align:start}
.chip.toggle{border-style:dashed;color:var(--soft)}.chip:hover{border-color:var(--accent);color:var(--accent)}
.chip:focus-visible,.cite:focus-visible,.mark:focus-visible,.doc:focus-visible{outline:2px solid var(--accent);outline-offset:2px}
.caption p,.note,.sub{font-size:.8rem;color:var(--soft);margin:.35rem 0}
.notice{border-inline-start:3px solid var(--line);padding:.25rem .7rem;margin:.2rem 0;font-size:.9rem;overflow-wrap:anywhere}
.notice.info{border-color:var(--accent)}.notice.warning{border-color:#d97706}.notice.error{border-color:#dc2626;color:var(--bad)}
.scroll{overflow-x:auto}
.gradio-container table.plain,.gradio-container table.plain tr{border:0!important;margin:0}table.plain{border-collapse:collapse;width:100%;font-size:.84rem;font-variant-numeric:tabular-nums}
table.plain th{text-align:start;font-weight:600;color:var(--soft);font-size:.78rem;white-space:nowrap}
table.plain th,table.plain td{padding:.38rem .6rem;border:0;border-bottom:1px solid var(--line);vertical-align:top;background:none}
.scroll:has(.documents){max-height:560px;overflow-y:auto}.documents thead th{position:sticky;top:0;background:var(--body-background-fill)!important}
table.steps td:last-child,table.segments td:last-child{width:99%;min-width:15rem}
table.segments td:nth-child(-n+4),table.steps td:nth-child(-n+4){white-space:nowrap}table.documents td:nth-child(2){min-width:11rem}table.documents td:nth-child(n+5){white-space:nowrap}table.documents td:nth-child(4){min-width:8rem}
table.documents td:nth-child(n+8),table.documents th:nth-child(n+8),table.segments td:nth-child(4),table.segments th:nth-child(4),
table.steps td:nth-child(-n+4):not(:first-child),table.steps th:nth-child(-n+4):not(:first-child){text-align:end}
.source{display:block;color:var(--soft);font-size:.78rem;overflow-wrap:anywhere}
.badge{font-size:.75rem;padding:.05rem .5rem;border-radius:999px;border:1px solid currentColor;white-space:nowrap}
.badge.ok{color:var(--good)}.badge.warning{color:var(--warn)}.badge.error{color:var(--bad)}
summary{padding-block:.2rem}#cand-progress{scroll-margin-top:4.5rem}.gradio-container button.label-wrap{padding-block:.3rem}
.work:not(:has(.progress))>button{display:none}
.progress{font-size:.86rem;margin:.3rem 0}.progress .bar{height:4px;background:var(--line);border-radius:2px;margin-top:.3rem}
.progress i{display:block;height:100%;background:#0d9488;border-radius:2px;transition:width .2s}
.doc{white-space:pre-wrap;overflow-wrap:anywhere;max-height:430px;overflow-y:auto;border:1px solid var(--line);border-radius:6px;padding:.8rem 1rem;background:var(--paper);line-height:1.75;font-size:.92rem}
.doc mark{color:inherit;background:none;padding:0;border-radius:2px}
.doc mark.odd{background:var(--odd)}.doc mark.even{background:var(--even)}.doc mark.overlap{background:var(--over)}
.doc mark.chunk{background:var(--odd)}.doc mark.hit{background:var(--hit)}.doc mark.chunk.hit{box-shadow:0 -2px 0 #d97706 inset}
.doc mark.word{text-decoration:underline;text-decoration-color:#d97706;text-decoration-thickness:2px;text-underline-offset:3px}
.conflicts li{margin:.25rem 0}button.remark-open{font-size:.72rem;color:var(--accent);border:1px solid var(--line);border-radius:4px;padding:0 .4em;background:transparent;cursor:pointer}
.doc mark.order{text-decoration:underline wavy #b91c1c 1.5px;text-underline-offset:3px}.orders mark.order,.remark mark.order{background:none;color:inherit;font-weight:600;text-decoration:underline wavy #b91c1c 1.5px}
.tick::before{content:attr(data-n);font-style:normal;font-size:.65rem;line-height:1;color:var(--soft);border:1px solid var(--line);border-radius:3px;padding:0 .25em;margin:0 .2em;vertical-align:.15em;background:var(--paper);user-select:none}
.tick.page::before{border:0;border-bottom:2px solid var(--accent);border-radius:0;background:none;color:var(--accent);font-size:.72rem}.tick.gone::before{border:0;background:none;color:var(--warn);margin:0 .4em 0 0}
.here{display:inline-block;width:0}.doc mark.gone{color:var(--bad);text-decoration:line-through;text-decoration-thickness:1px}
.tick.gone.line::before{content:"\\a" attr(data-n);white-space:pre}.doc mark.line::after{content:"\\a";white-space:pre}
.parts{display:flex;flex-wrap:wrap;gap:.2rem .7rem;align-items:baseline}.turn{border:1px solid var(--line);border-radius:4px;background:var(--paper);color:var(--accent);padding:.1rem .6rem;font-size:.8rem;cursor:pointer}.turn:hover{border-color:currentColor}
.stated{display:block;width:max-content;max-width:16em;white-space:normal;font-size:.72rem;color:var(--soft)}.stated.guess{color:var(--warn)}.stated.guess::before{content:"? "}
dl.known{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;font-size:.84rem;margin:.4rem 0}dl.known dt{color:var(--soft)}dl.known dd{margin:0;overflow-wrap:anywhere}
#document-left-out details{font-size:.84rem;margin:.25rem 0}#document-left-out summary{cursor:pointer}table.removed td:nth-child(-n+2){white-space:nowrap}table.removed td:last-child{width:99%}
.remark{color:var(--warn)}.sized>div{flex:1 1 17rem}table.sizes{width:auto}.sizes td:not(:first-child),.sizes th:not(:first-child){text-align:end}
.histogram{margin:0;max-width:30rem}.histogram figcaption{font-size:.78rem;color:var(--soft)}.histogram .columns{position:relative;display:flex;align-items:flex-end;gap:1px;height:5.2rem;border-bottom:1px solid var(--soft)}
.histogram .columns>span{flex:1 1 0;min-width:0;height:100%;display:flex;flex-direction:column;justify-content:flex-end}.histogram b{font-weight:400;font-size:.62rem;line-height:1.2;text-align:center;color:var(--soft);overflow:hidden}
.histogram i{display:block;background:#0d9488;min-height:0;border-radius:1px 1px 0 0}.histogram u{position:absolute;top:0;bottom:0;border-inline-start:1px dashed var(--bad)}
.histogram .axis{display:flex;justify-content:space-between;font-size:.68rem;color:var(--soft);font-variant-numeric:tabular-nums}
.compared-splits section{flex:1 1 24rem;min-width:0}.compared-splits .doc{max-height:340px}#chunk-summary .facts{margin:.2rem 0}.jumps{align-items:flex-end}.jumps>button{margin-bottom:.1rem}
.facts{font-size:.84rem;margin:.35rem 0;color:var(--soft);overflow-wrap:anywhere}.facts b{color:var(--ink)}
.why{font-size:.86rem;margin:.35rem 0}
.folded{font-size:.84rem;margin:.3rem 0}.folded summary{cursor:pointer;color:var(--soft)}.edge{font-variant-numeric:tabular-nums}
table.terms td:nth-child(n+2),table.terms th:nth-child(n+2),table.pairs td:last-child,table.pairs th:last-child{text-align:end}table.terms td:last-child,table.pairs td:last-child{width:8rem}
.share{display:block;height:3px;margin-top:.2rem;background:var(--line);border-radius:2px;overflow:hidden}.share i{display:block;height:100%;background:#0d9488}
table.pairs mark{background:var(--hit);color:inherit;border-radius:2px}.sides{align-items:flex-start}#cand-reasons h3,#cand-pairs h3{font-size:.9rem;font-weight:600;margin:.5rem 0 .2rem}
table.outside td:nth-last-child(-n+3):not(:last-child),table.two td:nth-child(-n+2){text-align:end;white-space:nowrap}table.two td:nth-child(n+3):nth-child(-n+5){white-space:nowrap}table.two td:nth-child(6),table.outside td:first-child{min-width:8rem}table.outside td:nth-child(3){min-width:7rem}table.outside td:nth-child(5){min-width:10rem}table.outside td:nth-child(2){white-space:nowrap}table.two td:last-child,table.outside td:last-child{min-width:20rem}.scroll:has(.two),.scroll:has(.terms){max-height:420px;overflow-y:auto}
.index-map svg{display:block;width:100%;max-width:56rem;height:auto;border:1px solid var(--line);border-radius:6px;background:var(--paper)}
.index-map .others{fill:none;stroke:var(--soft);stroke-opacity:.45;stroke-width:3;stroke-linecap:round}.index-map .point{cursor:pointer;outline:none}.index-map .field{fill:transparent;stroke:none}
.index-map circle{stroke:var(--paper);stroke-width:1}.index-map .packed circle:not(.field){fill:#0d9488}.index-map .left circle:not(.field){fill:#d97706}.index-map .asked path{fill:#db2777;stroke:var(--paper)}
.index-map text{font-size:11px;font-weight:600;fill:var(--ink);paint-order:stroke;stroke:var(--paper);stroke-width:3px}.index-map .point:focus-visible .field,.index-map .point:hover .field,.index-map .point.open .field{stroke:var(--accent);stroke-width:2}
.index-map .opened{min-height:1.4em;font-size:.86rem;margin:.3rem 0}
.swatch.asked{background:#db2777}.swatch.packed{background:#0d9488}.swatch.left{background:#d97706}.swatch.others{background:var(--soft)}
.meter{display:flex;height:14px;border-radius:4px;overflow:hidden;border:1px solid var(--line)}.meter i{height:100%}
.template{background:var(--tpl)}.rules{background:var(--rules)}.evidence{background:var(--ev)}.question{background:var(--qu)}.free{background:transparent}
.kept{background:repeating-linear-gradient(45deg,var(--line) 0 4px,transparent 4px 8px)}
.budget-line{font-size:.9rem;margin:.2rem 0 .45rem}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.3rem 1.1rem;padding:0;margin:.5rem 0;font-size:.8rem;color:var(--soft)}
.legend li{display:inline-flex;align-items:center;gap:.35rem;margin:0}
.swatch{display:inline-block;width:.8em;height:.8em;border-radius:2px;border:1px solid var(--line);margin-inline-end:.35em;vertical-align:-.05em}
.list{font-size:.84rem;margin:0;padding-inline-start:1.2rem}.list code,.sub code{overflow-wrap:anywhere}.gradio-container .list.gate p{display:block;margin:.1rem 0 .4rem}
.phase{display:flex;gap:.55rem;align-items:baseline;font-size:.88rem;color:var(--soft);margin:.2rem 0;font-variant-numeric:tabular-nums}
.answer{white-space:pre-wrap;overflow-wrap:anywhere;font-size:1.05rem;line-height:1.85;min-height:5.5rem;border:1px solid var(--line);border-radius:6px;background:var(--paper);padding:.9rem 1.1rem;color:var(--ink)}
.answer .bare{text-decoration:underline dotted var(--bad);text-underline-offset:4px}
.answer .wrong,.clues .wrong{color:var(--bad);font-weight:650;text-decoration:underline wavy var(--bad);text-underline-offset:4px}
.mark{font-size:.72rem;line-height:1.5;border-radius:3px;padding:0 .35em;margin:0 .25em;vertical-align:.12em;white-space:nowrap;background:transparent}button.mark{cursor:pointer}.mark.cited{color:var(--good)}.mark.other{color:var(--warn);border:1px dotted var(--warn)}.mark.none{color:var(--bad);border:1px dotted var(--bad)}
.clues td:first-child{white-space:nowrap}.clues td{overflow-wrap:anywhere}
.invalid{color:var(--bad);text-decoration:line-through;font-size:.85em;margin:0 .2em}
.cite{font-family:var(--font-mono);font-size:.76em;line-height:1.5;border-radius:4px;padding:0 .4em;margin:0 .15em;vertical-align:.1em;color:var(--accent);background:transparent;white-space:nowrap}
button.cite{cursor:pointer}
.cite.model{border:1.5px solid var(--accent);background:var(--accent-soft)}.cite.system{border:1.5px dashed var(--accent)}.cite.closest{border:1.5px dotted var(--bad);color:var(--bad)}
button.cite:hover,button.mark:hover,.mark.open,.cite.open{background:var(--accent);color:var(--paper)}button.cite.system:hover,.cite.system.open{border-color:var(--paper)}
.used{font-size:.82rem;margin-top:.6rem;color:var(--soft)}.used summary{cursor:pointer}
.used dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;font-family:var(--font-mono);margin:.5rem 0}.used dd{margin:0}
.skipped{color:var(--warn)}
#ask-row{align-items:flex-end;flex-wrap:wrap}
.gradio-container .tabitem h2{font-size:1.02rem;font-weight:650;margin:.9rem 0 0}.gradio-container .tabitem h3{font-size:.9rem;font-weight:600;margin:1rem 0 .3rem}
.buttons{flex-wrap:wrap;align-items:center}.figures td:not(:first-child),.figures th:not(:first-child){text-align:end}
table.figures{width:auto;min-width:min(100%,24rem)}.figures td:first-child{min-width:4.6em}.compared td:nth-child(2),.compared td:nth-child(5),.answers td:nth-child(-n+2){white-space:nowrap}.interval{display:block;font-size:.72rem;color:var(--soft);white-space:nowrap}
.beside{display:flex;flex-wrap:wrap;gap:.5rem 2rem;align-items:flex-start}.beside>div{flex:1 1 26rem;min-width:0}.plot{max-width:36rem}.plot svg{display:block;width:100%;height:auto}
.yes,.verdict.better{color:var(--good)}.no,.verdict.worse{color:var(--bad)}.verdict.noise{color:var(--soft)}.compared summary{cursor:pointer}#eval-outcomes .virtual-row{font-family:var(--font);font-size:.82rem;cursor:pointer}#eval-table .virtual-row{font-family:var(--font);font-size:.82rem}#eval-table .virtual-row span{white-space:pre-line}
.gradio-container .form{background:var(--paper)}#eval-age:not(:has(p)),#eval-compared:not(:has(table)),#eval-used:not(:has(p)),#eval-cut-note:not(:has(p)),#eval-set-note:not(:has(p)),#eval-download,#chunk-download,#cand-count:not(:has(p)),#cand-progress:not(:has(p,div)),#answer-versions:not(:has(p)),#cand-outside:not(:has(details)),#cand-map:not(:has(div,p)),#chunk-found:not(:has(p)),#chunk-detail:not(:has(p)),#document-saved:not(:has(p,div)),#split-compared:not(:has(div)){display:none}
/* Gradio 6.31 does not show the title of an error: its own heading is "Error" in every language */
.toast-title.error{font-size:0}.toast-title.error::after{content:"Please note";font-size:var(--text-lg)}:lang(zh) .toast-title.error::after{content:"请注意"}
@media (max-width:640px){table.figures th,table.figures td{padding:.3rem .4rem}.gradio-container .main{padding:.7rem!important}#ask-row{flex-wrap:wrap}#ask-row>.block,#ask-row>.form{flex:1 1 100%}#ask-row>button{flex:1}.models .ready .name{display:none}.models{gap:.3rem 1rem}.gradio-container .row>.column{flex:1 1 100%}.gradio-container .row{flex-wrap:wrap}#upload button{padding-top:1.6rem}.gradio-container{padding-inline:.6rem!important}.doc{max-height:320px;padding:.6rem .7rem}.answer{font-size:1rem}.chips{flex-wrap:nowrap;overflow-x:auto;padding-bottom:.3rem}.chip{flex:none}#settings .block:has(input[type=checkbox]){flex:1 1 100%!important}.index-map svg{min-width:44rem}}
"""
