import type { BidDecisionJson, GetBidDecisionResponseJson } from '@quartermaster/api/cluster';
import { bidDecisionState, resourceWord, sentenceCase } from '@quartermaster/api/states';
import { momentOf } from '../api/api-words.ts';
import { Facts } from '../parts/facts.tsx';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { serviceProblem, usePolled } from '../upstreams/use-cluster-service.ts';
import type { OrderNumbers } from './market-objects.ts';
import { exactPrice, perMonth } from './price-words.ts';

/** The steps of an order's way, as the contract names their times. */
const steps = [
  ['Ordered', 'orderedAt'],
  ['Reserved', 'reservedAt'],
  ['Bid', 'bidAt'],
  ['Won', 'wonAt'],
  ['Ended', 'endedAt'],
] as const satisfies readonly (readonly [string, keyof BidDecisionJson])[];

/** What this provider's own program decided of an order, and why. */
export function DecisionPanel({ numbers: { owner, dseq, gseq, oseq } }: { readonly numbers: OrderNumbers }) {
  const path = `/bid-decisions/${[owner, dseq, gseq, oseq].map(encodeURIComponent).join('/')}`;
  const { data, problem } = usePolled<GetBidDecisionResponseJson>(path);
  const decision = data?.decision;
  if (decision === undefined) {
    return (
      <Panel title="This provider">
        <p className="empty-line">
          {problem === undefined && 'Loading what was decided …'}
          {problem?.code === 'not_found' && 'No decision is recorded: its program has not seen the order, or has forgotten it.'}
          {problem !== undefined && problem.code !== 'not_found' && serviceProblem(problem)}
        </p>
      </Panel>
    );
  }
  const { reasons = [], price, priceParts = {} } = decision;
  const asked = price === undefined ? undefined : { denom: price.denom ?? '', amount: price.amount ?? '0' };
  return (
    <Panel title="This provider" isLastKnown={problem !== undefined}>
      <p className="trade-line">
        <StateWord {...bidDecisionState(decision)} />
        {asked !== undefined && <span title={exactPrice(asked)}>for {perMonth(asked)} per month</span>}
      </p>
      {reasons.length > 0 && (
        <ul className="consequences">
          {reasons.map(({ code = '', message = '' }) => (
            <li key={`${code} ${message}`}>
              {message} <span className="dim">({code})</span>
            </li>
          ))}
        </ul>
      )}
      <Facts
        facts={[
          ...steps.map(([name, field]) => {
            const at = momentOf(decision[field]);
            return [name, at !== undefined && <TimeAgo key={name} at={at} />] as const;
          }),
          ...Object.entries(priceParts).map(
            ([resource, amount]) =>
              [sentenceCase(resourceWord(resource)), `${perMonth({ denom: price?.denom ?? '', amount })} of the price`] as const,
          ),
        ]}
      />
    </Panel>
  );
}
