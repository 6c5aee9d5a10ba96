// On the demo page: lists each message of the embedded page beside the height of its frame.
const log = /** @type {HTMLTableSectionElement} */ (document.getElementById('log'));
const proof = /** @type {HTMLElement} */ (document.getElementById('proof'));

addEventListener('message', ({ data, source }) => {
  const frame = document.querySelector('iframe');
  if (!frame || source !== frame.contentWindow) return;
  // Chromium sets the height of the frame after this listener.
  requestAnimationFrame(() => {
    // Some services write `810px`.
    const height = 'height' in data.payload ? Number.parseFloat(data.payload.height) : '';
    const row = log.insertRow(0);
    for (const text of [Math.round(performance.now()), data.event, height, frame.clientHeight])
      row.insertCell().textContent = text;
    if (height === '') return;
    const isSame = height === frame.clientHeight;
    proof.textContent = isSame ? '✓ The frame is as high as its page' : '✗ The frame is not as high as its page';
  });
});
