import { Link, useLocation } from 'wouter';
import { usePageTitle } from '../parts/page-title.ts';
import type { ConsolePage } from './console-page.ts';

export function NotFound({ pages }: { readonly pages: readonly ConsolePage[] }) {
  const [location] = useLocation();
  usePageTitle('There is no such page');
  return (
    <div className="empty">
      <h1>There is no such page</h1>
      <p>
        <code>{location}</code> is not a page of the console. Available pages:
      </p>
      <ul>
        {pages.map(({ href, label }) => (
          <li key={href}>
            <Link href={href}>{label}</Link>
          </li>
        ))}
      </ul>
    </div>
  );
}
