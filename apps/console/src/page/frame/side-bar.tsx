import { Link, useLocation } from 'wouter';
import { useLive } from '../live/use-live.ts';
import { nodeTone } from '../model/node-state.ts';

/** The pages that exist. A dot on an entry means that something there needs a person. */
export function SideBar() {
  const [location] = useLocation();
  const { snapshot } = useLive();
  const badParts = snapshot?.parts.filter(({ state }) => state === 'failed' || state === 'degraded').length ?? 0;
  const badNodes = snapshot?.cluster?.nodes.filter((node) => ['failed', 'unknown'].includes(nodeTone(node))).length ?? 0;
  const badPods = snapshot?.cluster?.podsByPhase['Failed'] ?? 0;
  const entries = [
    { href: '/', label: 'Overview', needs: badParts },
    { href: '/nodes', label: 'Nodes', needs: badNodes },
    { href: '/pods', label: 'Pods', needs: badPods },
  ];
  return (
    <nav className="side-bar" aria-label="Pages">
      <Link href="/" className="brand">
        <svg className="brand-mark" viewBox="0 0 16 16" aria-hidden="true">
          <path d="M8 0 16 8 8 16 0 8Z" />
        </svg>
        <span>Quartermaster</span>
      </Link>
      <ul>
        {entries.map(({ href, label, needs }) => {
          const isHere = href === '/' ? location === '/' : location.startsWith(href);
          return (
            <li key={href}>
              <Link href={href} className="side-link" aria-current={isHere ? 'page' : undefined}>
                {label}
                {needs > 0 && (
                  <span className="needs-dot" role="img" aria-label={`${needs} need attention`} title={`${needs} need attention`} />
                )}
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
