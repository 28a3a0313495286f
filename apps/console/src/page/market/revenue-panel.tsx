import type { GetBidStatusResponseJson } from '@quartermaster/api/cluster';
import { resourceWord, sentenceCase } from '@quartermaster/api/states';
import { countOf } from '../model/amounts.ts';
import { numberOf } from '../model/card-names.ts';
import { Changing } from '../parts/changing.tsx';
import { Panel } from '../parts/panel.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { usePolled } from '../upstreams/use-cluster-service.ts';
import type { LeaseObject } from './market-objects.ts';
import { perMonth } from './price-words.ts';

interface RevenuePanelProps {
  /** Those that are active. */
  readonly leases: readonly LeaseObject[];
  readonly isRead: boolean;
  readonly isLastKnown: boolean;
}

/** What the active leases bring in for a month; by resource where the own program made the prices of parts. */
export function RevenuePanel({ leases, isRead, isLastKnown }: RevenuePanelProps) {
  const { data } = usePolled<GetBidStatusResponseJson>('/bid-status');
  const parts = (data?.revenue ?? []).flatMap(({ denom = '', parts: each = {} }) =>
    Object.entries(each).map(([resource, amount]) => ({ resource, price: { denom, amount } })),
  );
  const own = (data?.revenue ?? []).map(({ denom = '', amount = '0' }) => ({ denom, amount }));
  const ownLeases = (data?.revenue ?? []).reduce((sum, { leases: count }) => sum + numberOf(count), 0);
  if (!isRead) return null;
  const all = perMonth(...leases.map(({ spec }) => spec?.price));
  return (
    <Panel title="Revenue" aside="a month has 438 300 blocks of 6 s" isLastKnown={isLastKnown}>
      <p>
        {leases.length === 0 ? (
          'No lease is active.'
        ) : (
          <>
            <Changing value={all}>
              <strong>{all}</strong>
            </Changing>
            {` per month from ${countOf(leases.length, 'active lease')}.`}
          </>
        )}
        {ownLeases > 0 && ` This provider has ${countOf(ownLeases, 'lease')} for ${perMonth(...own)} per month:`}
      </p>
      {parts.length > 0 && (
        <PlainTable headings={['Resource', 'Per month']} numbers={['Per month']} layout="revenue-table">
          {parts.map(({ resource, price }) => (
            <tr key={`${resource} ${price.denom}`}>
              <th scope="row">{sentenceCase(resourceWord(resource))}</th>
              <td className="number">{perMonth(price)}</td>
            </tr>
          ))}
        </PlainTable>
      )}
      {data?.problem !== undefined && data.problem !== '' && <p className="dim">Decisions may be missing or old: {data.problem}.</p>}
    </Panel>
  );
}
