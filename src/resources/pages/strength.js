// Shows how strong a new password is while the user types it, as the service estimates it.
'use strict';

/** Time without a key before the service is asked. */
const PAUSE_MILLIS = 500;

for (const part of document.querySelectorAll('[data-strength]')) {
  const field = document.getElementById(part.dataset.strength);
  const texts = JSON.parse(part.dataset.texts);
  let timer;
  let asked = new AbortController();
  field.addEventListener('input', () => {
    clearTimeout(timer);
    asked.abort();
    asked = new AbortController();
    const { signal } = asked;
    timer = setTimeout(async () => {
      const hint = field.value === '' ? null : await hintOf(field, part.dataset.estimate, signal).catch(() => null);
      if (!signal.aborted) show(part, texts, hint);
    }, PAUSE_MILLIS);
  });
}

/** Null if the service is busy: the form itself tells what is wrong. */
async function hintOf({ value: password, form }, url, signal) {
  const { csrf, id } = form.elements;
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const body = JSON.stringify({ csrf: csrf.value, password, ...(id?.value && { id: id.value }) });
  const response = await fetch(url, { method: 'POST', headers, body, signal });
  return response.ok ? response.json() : null;
}

function show(part, texts, hint) {
  part.hidden = hint === null;
  if (!hint) return;
  // The score of a password that is rejected must not look like one that is accepted.
  part.querySelector('meter').value = hint.problem ? Math.min(hint.score, 2) || 0.25 : hint.score;
  part.querySelector('[role=status]').textContent = texts[hint.problem ?? (hint.score < 4 ? 'strong' : 'very_strong')];
}
