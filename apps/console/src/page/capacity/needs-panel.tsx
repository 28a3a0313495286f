import { type Need, needsTopic } from '@quartermaster/api/inventory-views';
import { Link } from 'wouter';
import { useTopic } from '../live/use-topic.ts';
import { nodeHref, storageHref } from '../model/addresses.ts';
import { formatInteger } from '../model/amounts.ts';
import { heldWords, reasonWords } from '../model/capacity-words.ts';
import { Changing } from '../parts/changing.tsx';
import { Panel } from '../parts/panel.tsx';
import { Dot } from '../parts/state-word.tsx';
import { ForHowLong } from '../parts/time-ago.tsx';

const maxShown = 12;

/** Everything that holds capacity back until somebody looks at it, what holds back most first. */
export function NeedsPanel({ count }: { readonly count: number }) {
  const { news } = useTopic(needsTopic, null);
  // The rows of a topic are in no order: the server sorted them, and a patch puts new ones last.
  const needs = (news?.rows ?? []).toSorted(byWeight).slice(0, maxShown);
  return (
    <Panel title={`Needs a person (${formatInteger(count)})`} source="cluster">
      {needs.length === 0 ? (
        <p className="empty-line">
          Nothing: every node is sellable, no card is in quarantine, and every class is offered or excluded on purpose.
        </p>
      ) : (
        <ul className="needs">
          {needs.map((need) => (
            <NeedLine key={needsTopic.keyOf(need)} need={need} />
          ))}
        </ul>
      )}
      {count > needs.length && (
        <p className="empty-line">
          {formatInteger(count - needs.length)} more: <Link href="/nodes?sort=state">nodes by state</Link>,{' '}
          <Link href="/storage">storage</Link>.
        </p>
      )}
    </Panel>
  );
}

function NeedLine({ need }: { readonly need: Need }) {
  const { kind, id, node, state, reason, more } = need;
  const held = heldWords(need);
  const href = kind === 'class' ? storageHref(id) : nodeHref(node ?? id);
  return (
    <li>
      <Dot tone={state === 'unknown' ? 'unknown' : 'held'} />
      <div>
        <Link href={href} className={kind === 'gpu' ? 'mono' : undefined}>
          {id}
        </Link>{' '}
        {kind === 'gpu' && <span className="dim">on {node} </span>}
        <span>
          {reasonWords(reason.code)}
          <ForHowLong since={reason.since} />
          {more > 0 && ` and ${more} more`}
        </span>
        {held !== '' && (
          <>
            {' → '}
            <Changing value={held}>{held}</Changing> {state === 'unknown' ? 'unknown' : 'held back'}
          </>
        )}
        <p className="dim">{reason.message}</p>
      </div>
      <Link href={`${href}${kind === 'class' ? '' : '#why'}`} aria-label={`Explain ${id}`}>
        explain
      </Link>
    </li>
  );
}

const byWeight = (a: Need, b: Need): number => b.gpus - a.gpus || b.cpuMillis - a.cpuMillis || b.bytes - a.bytes || (a.id < b.id ? -1 : 1);
