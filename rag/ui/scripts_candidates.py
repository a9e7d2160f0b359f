"""The scripts of the Candidates tab. Static text: nothing of a document is ever put in."""

from __future__ import annotations

from rag.ui.style import SCROLL_TO_MARK

# As SCROLL_TO_MARK; and a candidate that was chosen in the table comes into sight where it is out of it. One that a retrieval opened moves nothing.
CANDIDATE_SCRIPT = (
    SCROLL_TO_MARK
    + """
let chosen = false;
const press = event => {
  const key = event.type === 'click' || event.key === 'Enter';
  if (key && event.target.closest && event.target.closest('#cand-table [role=gridcell]')) chosen = true;
};
document.addEventListener('click', press, true);
document.addEventListener('keydown', press, true);
watch('value', () => requestAnimationFrame(() => {
  const top = element.getBoundingClientRect().top;
  if (chosen && (top < 0 || top > window.innerHeight * 0.6)) element.scrollIntoView({block: 'start'});
  chosen = false;
}));
"""
)

# On a phone what was found begins below the screen.
SCROLL_TO_PROGRESS = """
const show = () => requestAnimationFrame(() => {
  if (props.value && window.innerWidth < 800) element.scrollIntoView({block: 'start'});
});
show();
watch('value', show);
"""

# A point of the map opens its candidate, by mouse and by key, and says below the map which one: the candidate is far above.
MAP_SCRIPT = """
const press = event => {
  const point = event.target.closest ? event.target.closest('.point') : null;
  if (!point || (event.type === 'keydown' && event.key !== 'Enter' && event.key !== ' ')) return;
  event.preventDefault();
  element.querySelectorAll('.point.open').forEach(p => p.classList.remove('open'));
  point.classList.add('open');
  element.querySelector('.opened').textContent = point.querySelector('title').textContent;
  trigger('choose', {rank: Number(point.dataset.rank)});
};
element.addEventListener('click', press);
element.addEventListener('keydown', press);
"""
