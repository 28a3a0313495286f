import type { StorageCard } from '@quartermaster/api/inventory-views';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { nodeHref, storageHref } from '../model/addresses.ts';
import { countOf, formatBytes, formatBytesOf, formatInteger } from '../model/amounts.ts';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

export const cardId = (name: string): string => `class-${name}`;

interface ClassCardProps {
  readonly card: StorageCard;
  readonly isChosen: boolean;
}

/** One storage class: what is left, who answers for it, what is promised against what is there, or why it is not offered. */
export function ClassCard({ card, isChosen }: ClassCardProps) {
  const { name, refusal, amount, observedAt } = card;
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
      <SpaceBar card={card} />
      <dl className="card-facts">
        <Fact name="Backend">{card.backend === '' ? 'none that is known' : card.backend}</Fact>
        <Fact name="Provisioner">
          <span className="mono">{card.provisioner}</span>
        </Fact>
        {card.performance !== undefined && <Fact name="Sold as">{card.performance}</Fact>}
        {card.replicas !== undefined && <Fact name="Replicas">{formatInteger(card.replicas)}</Fact>}
        <Fact name="Promised">
          <span title={`${formatInteger(card.promisedBytes)} bytes`}>
            <Changing value={card.promisedBytes}>{promised(card)}</Changing> in {countOf(card.volumes, 'volume')}
          </span>
        </Fact>
        {card.largestVolumeBytes !== undefined && <Fact name="Largest volume that fits">{formatBytes(card.largestVolumeBytes)}</Fact>}
        {card.sharesSpaceWith.length > 0 && (
          <Fact name="Same space as">
            {card.sharesSpaceWith.map((other) => (
              <Link key={other} href={storageHref(other)}>
                {other}{' '}
              </Link>
            ))}
          </Fact>
        )}
        {card.places !== undefined && <Places places={card.places} />}
        <Fact name="Read">{observedAt === undefined ? 'never read' : <TimeAgo at={observedAt} />}</Fact>
      </dl>
    </section>
  );
}

function SpaceBar({ card: { amount, refusal } }: { readonly card: StorageCard }) {
  if (amount === undefined) {
    return (
      <div className="card-bar">
        <div className="share-bar" aria-hidden="true">
          <span className="fill-unknown" style={{ flexGrow: 1 }} />
        </div>
        <strong>size not known</strong>
      </div>
    );
  }
  const { capacity, allocated, available } = amount;
  const used = Math.min(allocated, capacity);
  const rest = Math.max(capacity - used - available, 0);
  const free = formatBytesOf(available, capacity);
  const part = (size: number): number => size / Math.max(capacity, 1);
  return (
    <div className="card-bar">
      <div className="share-bar" aria-hidden="true">
        {used > 0 && <span className="fill-allocated" style={{ flexGrow: part(used) }} />}
        {available > 0 && <span className={refusal === undefined ? 'fill-good' : 'fill-held'} style={{ flexGrow: part(available) }} />}
        {rest > 0 && <span className="fill-held" style={{ flexGrow: part(rest) }} />}
      </div>
      <strong title={`${formatInteger(available)} of ${formatInteger(capacity)} bytes`}>
        <Changing value={free}>{free}</Changing> {refusal === undefined ? 'sellable' : 'free, held back'}
      </strong>
    </div>
  );
}

/** Promised may be more than what is there: thin provisioning. The card says so rather than hide it. */
function promised({ promisedBytes, amount }: StorageCard): string {
  if (amount === undefined) return formatBytes(promisedBytes);
  const text = formatBytesOf(promisedBytes, amount.capacity);
  return promisedBytes > amount.capacity
    ? `${text} there, ${formatBytes(promisedBytes - amount.capacity)} more than fits,`
    : `${text} there,`;
}

function Places({ places: { count, roomiest } }: { readonly places: NonNullable<StorageCard['places']> }) {
  return (
    <Fact name={`On ${countOf(count, 'node')}`}>
      <ul className="places">
        {roomiest.map(({ node, available, capacity }) => (
          <li key={node}>
            <Link href={nodeHref(node)}>{node}</Link> {formatBytesOf(available, capacity)} free
          </li>
        ))}
        {count > roomiest.length && <li className="dim">and {formatInteger(count - roomiest.length)} with less space left</li>}
      </ul>
    </Fact>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
