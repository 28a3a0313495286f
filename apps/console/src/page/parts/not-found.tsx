import { Link, useLocation } from 'wouter';

export function NotFound() {
  const [location] = useLocation();
  return (
    <div className="empty">
      <h1>There is no such page</h1>
      <p>
        Nothing is at <code>{location}</code>. What exists is on the <Link href="/">Overview</Link>, under <Link href="/nodes">Nodes</Link>{' '}
        and under <Link href="/pods">Pods</Link>.
      </p>
    </div>
  );
}
