import './tabs.css';

interface TabsProps {
  /** For screen readers. */
  label: string;
  current: string;
  tabs: readonly { id: string; title: string; href: string }[];
}

/** Links between the parts of a screen; each part has its own address. */
export function Tabs({ label, current, tabs }: TabsProps) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(({ id, title, href }) => (
        <a key={id} href={href} aria-current={id === current ? 'page' : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}
