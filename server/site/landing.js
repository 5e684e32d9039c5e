// The landing page: filters the gallery by category.
const filters = document.querySelector('.filters');
if (filters) {
  const cards = [...document.querySelectorAll('.card')].map((card) => ({
    card,
    categories: JSON.parse(card.dataset.categories),
  }));
  const status = filters.querySelector('[role=status]');
  const clear = filters.querySelector('.clear');

  const apply = () => {
    const chosen = [...filters.querySelectorAll('input:checked, select')].filter(({ value }) => value !== '');
    let shown = 0;
    for (const { card, categories } of cards) {
      const matches = chosen.every(({ name, value }) => categories[name].includes(value));
      // An active conversation stays visible.
      card.hidden = !matches && !card.classList.contains('talking');
      if (!card.hidden) shown++;
    }
    const total = `${cards.length} experiences`;
    status.textContent = chosen.length === 0 ? total : `${shown} of ${total}`;
    clear.hidden = chosen.length === 0;
  };

  filters.addEventListener('change', apply);
  clear.addEventListener('click', () => {
    for (const select of filters.querySelectorAll('select')) select.value = '';
    const all = filters.querySelector('input');
    all.checked = true;
    apply();
    all.focus();
  });
  // Browsers restore the state of form fields on reload.
  apply();
}
