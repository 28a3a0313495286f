import type { StorageCard } from '@quartermaster/api/inventory-views';
import { Link } from 'wouter';
import { nodeHref, storageHref } from '../model/addresses.ts';
import { countOf, formatBytes, formatBytesOf, formatInteger } from '../model/amounts.ts';
import { exactText, segmentsOf } from '../model/capacity-words.ts';
import { totalOf } from '../model/fill.ts';
import { lineWords } from '../model/line-words.ts';
import { type LineReserved, lessReserved } from '../model/reserved.ts';
import { Changing } from '../parts/changing.tsx';
import { type FactList, Facts } from '../parts/facts.tsx';
import { Bar, BarNote } from '../parts/plots/bar.tsx';
import { ReservedNotes } from '../parts/plots/capacity-bar.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

export const cardId = (name: string): string => `class-${name}`;

interface ClassCardProps {
  readonly card: StorageCard;
  /** What of it is reserved; undefined where nobody reserves. */
  readonly reserved: LineReserved;
  readonly isChosen: boolean;
}

/** One storage class: what is left, who answers for it, what is promised against what is there, or why it is not offered. */
export function ClassCard({ card, reserved, isChosen }: ClassCardProps) {
  const { name, refusal, amount } = card;
  return (
    <section id={cardId(name)} className="card" aria-label={name} aria-current={isChosen ? 'true' : undefined}>
      <header>
        <h2>{name}</h2>
        {refusal === undefined ? (
          <StateWord tone="good" word="offered" />
        ) : (
          <StateWord tone={amount === undefined ? 'unknown' : 'held'} word="not offered" />
        )}
      </header>
      {refusal !== undefined && (
        <p className="card-reason">
          <span className="mono">{refusal.code}</span> {refusal.message}
        </p>
      )}
      <SpaceBar card={card} reserved={reserved} />
      <Facts layout="card-facts" facts={factsOf(card)} />
    </section>
  );
}

function factsOf(card: StorageCard): FactList {
  const { backend, provisioner, performance, replicas, promisedBytes, volumes, largestVolumeBytes, sharesSpaceWith, places, observedAt } =
    card;
  return [
    ['Backend', backend === '' ? 'unknown' : backend],
    ['Provisioner', <span className="mono">{provisioner}</span>],
    ['Sold as', performance],
    ['Replicas', replicas !== undefined && formatInteger(replicas)],
    [
      'Promised',
      <span title={`${formatInteger(promisedBytes)} bytes`}>
        <Changing value={promisedBytes}>{promised(card)}</Changing> in {countOf(volumes, 'volume')}
      </span>,
    ],
    ['Largest volume that fits', largestVolumeBytes !== undefined && formatBytes(largestVolumeBytes)],
    [
      'Same space as',
      sharesSpaceWith.length > 0 &&
        sharesSpaceWith.map((other) => (
          <Link key={other} href={storageHref(other)}>
            {other}{' '}
          </Link>
        )),
    ],
    [`On ${countOf(places?.count ?? 0, 'node')}`, places !== undefined && <Places places={places} />],
    ['Read', observedAt === undefined ? 'never read' : <TimeAgo at={observedAt} />],
  ];
}

function SpaceBar({ card, reserved }: Pick<ClassCardProps, 'card' | 'reserved'>) {
  const { name, amount: size, why } = card;
  const division = lessReserved(card.division, reserved);
  if (size === undefined) {
    return (
      <div className="card-bar">
        <Bar total={1} parts={{ all: { tone: 'unknown', amount: 1 } }} />
        <strong>size unknown</strong>
      </div>
    );
  }
  const line = { kind: 'class', name, unit: 'bytes', division: card.division, why } as const;
  const { sellable, allocated, reserved: held, heldBack, unknown, reasons } = lineWords(line, reserved);
  const reasonsOf = (state: 'held-back' | 'unknown'): string =>
    reasons
      .filter((each) => each.state === state)
      .map(({ text }) => text)
      .join(', ');
  return (
    <div className="card-bar">
      <Bar
        total={totalOf(division)}
        parts={Object.fromEntries(segmentsOf(line, reserved).map(({ label, tone, amount, title }) => [label, { tone, amount, title }]))}
      />
      <strong title={`${exactText('bytes', division.sellable)} of ${exactText('bytes', totalOf(division))}`}>
        <Changing value={sellable}>{sellable}</Changing> sellable
      </strong>
      <span className="share-words">
        {division.allocated > 0 && (
          <BarNote tone="allocated" title={exactText('bytes', division.allocated)}>
            {allocated} allocated
          </BarNote>
        )}
        <ReservedNotes unit="bytes" reserved={reserved} division={division} words={held} />
        {division.heldBack > 0 && (
          <BarNote tone="held" title={exactText('bytes', division.heldBack)}>
            {heldBack} held back: {reasonsOf('held-back')}
          </BarNote>
        )}
        {division.unknown > 0 && (
          <BarNote tone="unknown" title={exactText('bytes', division.unknown)}>
            {unknown} unknown: {reasonsOf('unknown')}
          </BarNote>
        )}
      </span>
    </div>
  );
}

/** Promised may be more than what is there: thin provisioning. The card says so rather than hide it. */
function promised({ promisedBytes, amount }: StorageCard): string {
  if (amount === undefined) return formatBytes(promisedBytes);
  const text = formatBytesOf(promisedBytes, amount.capacity);
  return promisedBytes > amount.capacity
    ? `${text} there, over-committed by ${formatBytes(promisedBytes - amount.capacity)},`
    : `${text} there,`;
}

function Places({ places: { count, roomiest } }: { readonly places: NonNullable<StorageCard['places']> }) {
  return (
    <ul className="places">
      {roomiest.map(({ node, available, capacity }) => (
        <li key={node}>
          <Link href={nodeHref(node)}>{node}</Link> {formatBytesOf(available, capacity)} free
        </li>
      ))}
      {count > roomiest.length && <li className="dim">and {formatInteger(count - roomiest.length)} with less space left</li>}
    </ul>
  );
}
