import { type Need, needsTopic } from '@quartermaster/api/inventory-views';
import { reasonWords } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { useTopic } from '../live/use-topic.ts';
import { conditionHref } from '../model/addresses.ts';
import { countOf, formatInteger, sentenceCase } from '../model/amounts.ts';
import { heldWords } from '../model/capacity-words.ts';
import { numberOf } from '../model/card-names.ts';
import { Panel } from '../parts/panel.tsx';
import { Dot } from '../parts/state-word.tsx';
import { useQuery } from '../parts/table/use-query.ts';
import { useClusterStatus } from '../upstreams/use-cluster-service.ts';
import { byReason, needKey } from './acknowledgements.ts';
import { NeedLine } from './need-line.tsx';
import { type Acknowledgements, useAcknowledgements } from './use-acknowledgements.ts';

const maxShown = 12;

/** Everything that holds capacity back until somebody looks at it, what holds back most first; what was acknowledged is kept apart. */
export function NeedsPanel({ count }: { readonly count: number }) {
  const { news } = useTopic(needsTopic, null);
  const [grouping, setGrouping] = useQuery('needs');
  const acknowledgements = useAcknowledgements();
  const isGrouped = grouping === 'grouped';
  // The rows of a topic are in no order: the server sorted them, and a patch puts new ones last.
  const all = (news?.rows ?? []).toSorted(byWeight);
  const isKnown = (need: Need): boolean => acknowledgements.current.has(needKey(need));
  const [open, known] = [all.filter((need) => !isKnown(need)), all.filter(isKnown)];
  const shown = isGrouped ? open : open.slice(0, maxShown);
  const overCommitted = numberOf(useClusterStatus().status?.overCommitted);
  return (
    <Panel
      title={`Needs a person (${formatInteger(count - known.length + overCommitted)})`}
      source="cluster"
      aside={
        all.length > 1 && (
          <button type="button" className="link-button" aria-pressed={isGrouped} onClick={() => setGrouping(isGrouped ? null : 'grouped')}>
            {isGrouped ? 'list one by one' : 'group by reason'}
          </button>
        )
      }
    >
      {overCommitted > 0 && <OverCommitted count={overCommitted} />}
      {open.length === 0 && overCommitted === 0 && (
        <p className="empty-line">
          {known.length > 0
            ? 'Nothing beyond what was acknowledged.'
            : 'Nothing: every node is sellable, no card is in quarantine, and every class is offered or excluded on purpose.'}
        </p>
      )}
      {isGrouped ? (
        <Groups needs={shown} acknowledgements={acknowledgements} />
      ) : (
        <NeedList needs={shown} acknowledgements={acknowledgements} />
      )}
      {count - known.length > shown.length && (
        <p className="empty-line">
          {formatInteger(count - known.length - shown.length)} more: <Link href="/nodes?sort=state">nodes by state</Link>,{' '}
          <Link href="/storage">storage</Link>.
        </p>
      )}
      {known.length > 0 && (
        <details className="need-group">
          <summary>{`${formatInteger(known.length)} acknowledged in this browser`}</summary>
          <NeedList needs={known} acknowledgements={acknowledgements} />
        </details>
      )}
    </Panel>
  );
}

/** Promises that cannot be kept as things are: nothing mends them but a person. */
function OverCommitted({ count }: { readonly count: number }) {
  return (
    <ul className="needs">
      <li>
        <Dot tone="failed" />
        <div>
          <Link href={conditionHref('OverCommitted')}>{countOf(count, 'reservation')}</Link>{' '}
          <span>over-committed: more is promised than there is</span>
          <p className="dim">
            A node was lost, or something else took the place. Bring the place back, or give one of those back that share it.
          </p>
        </div>
        <span className="need-actions">
          <Link href={conditionHref('OverCommitted')} aria-label="Explain over-committed reservations">
            explain
          </Link>
        </span>
      </li>
    </ul>
  );
}

interface NeedListProps {
  readonly needs: readonly Need[];
  readonly acknowledgements: Acknowledgements;
}

function NeedList({ needs, acknowledgements }: NeedListProps) {
  if (needs.length === 0) return null;
  return (
    <ul className="needs">
      {needs.map((need) => (
        <NeedLine key={needsTopic.keyOf(need)} need={need} acknowledgements={acknowledgements} />
      ))}
    </ul>
  );
}

// kind of a need -> what it is about
const kinds: Readonly<Record<Need['kind'], readonly [one: string, several: string]>> = {
  node: ['node', 'nodes'],
  gpu: ['card', 'cards'],
  class: ['storage class', 'storage classes'],
};

/** One line for each reason, with what all of them hold back together; the single ones are within. */
function Groups({ needs, acknowledgements }: NeedListProps) {
  return byReason(needs).map(([reason, members]) => {
    const [first] = members;
    if (first === undefined) return null;
    const sum = (value: (need: Need) => number): number => members.reduce((total, need) => total + value(need), 0);
    const held = heldWords({
      gpus: sum(({ gpus }) => gpus),
      cpuMillis: sum(({ cpuMillis }) => cpuMillis),
      bytes: sum(({ bytes }) => bytes),
    });
    const noun = kinds[first.kind][members.length === 1 ? 0 : 1];
    const words = `${sentenceCase(reasonWords(first.reason.code))}: ${formatInteger(members.length)} ${noun}`;
    return (
      <details key={reason} className="need-group">
        <summary>
          {words}
          {held !== '' && ` → ${held} ${first.state === 'unknown' ? 'unknown' : 'held back'}`}
        </summary>
        <NeedList needs={members} acknowledgements={acknowledgements} />
      </details>
    );
  });
}

const byWeight = (a: Need, b: Need): number => b.gpus - a.gpus || b.cpuMillis - a.cpuMillis || b.bytes - a.bytes || (a.id < b.id ? -1 : 1);
