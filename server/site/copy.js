// Copy buttons: copies the element that the button names in `data-copies`, or else the code beside the button.
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('button.copy');
  if (button === null) return;
  const { copies } = button.dataset;
  const source =
    copies === undefined ? button.parentElement.querySelector('code') : document.getElementById(copies);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = 'Copied';
  } catch {
    // Without permission, or on an address without https: select the text, so that a key copies it.
    getSelection().selectAllChildren(source);
    button.textContent = 'Selected';
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2_000);
});
