import type { LeasedIpAvailabilityJson, ReservableAmountJson } from '@quartermaster/api/cluster';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { reservationsHref } from '../model/addresses.ts';
import { formatInteger, sentenceCase } from '../model/amounts.ts';
import { poolParts } from '../model/pool-parts.ts';
import type { Reservations } from '../model/reserved.ts';
import { Changing } from '../parts/changing.tsx';
import { Panel } from '../parts/panel.tsx';
import { Bar, BarNote } from '../parts/plots/bar.tsx';
import { ForHowLong } from '../parts/time-ago.tsx';

/** What the cluster has once, not by node: the pool of external ports, and leased addresses. Nothing without a cluster service. */
export function PoolsPanel({ reservations }: { readonly reservations: Reservations }) {
  if (reservations.kind === 'none') return null;
  const known = reservations.kind === 'known' ? reservations.availability : undefined;
  return (
    <Panel title="Ports and addresses">
      {known === undefined ? (
        <p className="empty-line">{reservations.kind === 'unknown' ? reservations.why : ''}</p>
      ) : (
        <>
          <PoolBar title="External ports" amount={known.ports} unknown="The cluster service does not know the ports in use yet." />
          <PoolBar title="Leased addresses" amount={known.leasedIps?.amount} unknown={<IpProblem {...known.leasedIps} />} />
        </>
      )}
    </Panel>
  );
}

function IpProblem({ refusal, observedAt }: LeasedIpAvailabilityJson) {
  const at = momentOf(observedAt);
  return (
    <>
      {sentenceCase(refusal?.message ?? 'nobody has said how many there are')}
      {at !== undefined && (
        <>
          {' No answer'}
          <ForHowLong since={at} />.
        </>
      )}
    </>
  );
}

interface PoolBarProps {
  readonly title: string;
  /** Undefined while it is not known. */
  readonly amount: ReservableAmountJson | undefined;
  readonly unknown: ReactNode;
}

function PoolBar({ title, amount, unknown }: PoolBarProps) {
  if (amount === undefined) {
    return (
      <div className="share-row capacity-row">
        <h3>{title}</h3>
        <Bar total={1} parts={{ all: { tone: 'unknown', amount: 1 } }} />
        <div className="share-words">
          <strong>unknown</strong>
          <span>{unknown}</span>
        </div>
      </div>
    );
  }
  const { total, allocated, pending, active, available, overcommitted } = poolParts(amount);
  const reserved = pending + active;
  const exact = `${formatInteger(pending)} pending, ${formatInteger(active)} active`;
  return (
    <div className="share-row capacity-row" data-testid={`pool-${title}`}>
      <h3>{title}</h3>
      <Bar
        total={total}
        parts={{
          allocated: { tone: 'allocated', amount: allocated, title: `${formatInteger(allocated)} allocated` },
          reserved: { tone: 'reserved', amount: reserved, title: `${formatInteger(reserved)} reserved: ${exact}`, href: reservationsHref },
          sellable: { tone: 'good', amount: available, title: `${formatInteger(available)} sellable` },
        }}
      />
      <div className="share-words">
        <strong>
          <Changing value={available}>{`${formatInteger(available)} of ${formatInteger(total)} sellable`}</Changing>
        </strong>
        {allocated > 0 && (
          <BarNote tone="allocated" title={formatInteger(allocated)}>
            {formatInteger(allocated)} allocated
          </BarNote>
        )}
        {reserved > 0 && (
          <BarNote tone="reserved" title={exact}>
            <Link href={reservationsHref}>{formatInteger(reserved)} reserved</Link>
          </BarNote>
        )}
        {overcommitted > 0 && (
          <BarNote tone="failed" title={formatInteger(overcommitted)}>
            {formatInteger(overcommitted)} over-committed
          </BarNote>
        )}
      </div>
    </div>
  );
}
