import { type ReactNode, useEffect, useState } from 'react';
import { Link, useLocation } from 'wouter';
import { leaseKind, may } from '../api/object-kind.ts';
import type { LeaseObject } from '../market/market-objects.ts';
import { Panel } from '../parts/panel.tsx';
import { useQuery } from '../parts/table/use-query.ts';
import { useSession } from '../session/session.ts';
import { LeaseEvents } from './lease-events.tsx';
import { LeaseLogs } from './lease-logs.tsx';
import { LeaseTerminal } from './lease-terminal.tsx';

// in the address -> its name
const views = { logs: 'Logs', terminal: 'Terminal', events: 'Events' } as const;
type LiveView = keyof typeof views;

const isLive = (tab: string | null): tab is LiveView => tab !== null && Object.hasOwn(views, tab);

/** What a lease is, and what its provider's gateway shows of it to its tenant. Nothing is asked of the gateway before somebody wants to see it. */
export function LeaseViews({ lease, children }: { readonly lease: LeaseObject; readonly children: ReactNode }) {
  const isTenant = may(useSession(), 'CreateToken', leaseKind);
  const [tab] = useQuery('tab');
  if (!isTenant) {
    return (
      <>
        {children}
        <TenantAlone />
      </>
    );
  }
  const view = isLive(tab) ? tab : undefined;
  return (
    <>
      <ViewLinks view={view} />
      {view === undefined && children}
      <LiveViews lease={lease} view={view} />
    </>
  );
}

export function TenantAlone() {
  return <p className="dim">Logs, events and terminals of a lease are opened at the provider’s gateway by its tenant alone.</p>;
}

function ViewLinks({ view }: { readonly view: LiveView | undefined }) {
  const [location] = useLocation();
  const [service] = useQuery('service');
  const kept = service === null ? '' : `&service=${encodeURIComponent(service)}`;
  return (
    <nav className="phases" aria-label="Views">
      <Link href={location} aria-current={view === undefined ? 'true' : undefined}>
        Overview
      </Link>
      {Object.entries(views).map(([tab, name]) => (
        <Link key={tab} href={`${location}?tab=${tab}${kept}`} aria-current={view === tab ? 'true' : undefined}>
          {name}
        </Link>
      ))}
    </nav>
  );
}

function LiveViews({ lease: { id, status }, view }: { readonly lease: LeaseObject; readonly view: LiveView | undefined }) {
  const obstacle = obstacleOf(status);
  // What was opened stays, also when the lease ends: its last words are why somebody looks.
  const [opened, setOpened] = useState<readonly LiveView[]>([]);
  useEffect(() => {
    if (view !== undefined && obstacle === undefined) setOpened((before) => (before.includes(view) ? before : [...before, view]));
  }, [view, obstacle]);
  if (opened.length === 0 && view !== undefined && obstacle !== undefined) {
    return (
      <Panel title={views[view]} source="market">
        <p className="empty-line">{obstacle}</p>
      </Panel>
    );
  }
  const services = status?.delivery?.services ?? [];
  return (
    <>
      {opened.includes('terminal') && <LeaseTerminal lease={id} services={services} isShown={view === 'terminal'} />}
      {view === 'logs' && <LeaseLogs lease={id} services={services.map(({ name }) => name)} />}
      {view === 'events' && <LeaseEvents lease={id} />}
    </>
  );
}

function obstacleOf(status: LeaseObject['status']): string | undefined {
  if (status?.state !== 'LEASE_STATE_ACTIVE') return 'The lease is closed.';
  if (status.delivery?.gateway === undefined) return 'The provider has not reported where its gateway is.';
  return undefined;
}
