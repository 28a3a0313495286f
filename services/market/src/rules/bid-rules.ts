import { type Bid, BidSchema, type BidSpec, type Order } from '@quartermaster/api/market';
import type { FieldViolation } from '@quartermaster/kernel';
import { kindRules, unlessShort } from '@quartermaster/objects';
import { priceViolations } from './price.ts';

export const bidRules = kindRules<Bid>(BidSchema, {});

const maxCardsPerUnit = 50;

/** What is wrong with what a provider sends, whatever the order is. */
export function offerViolations({ price, offer }: Pick<BidSpec, 'price' | 'offer'>): FieldViolation[] {
  const units = offer.map(({ unit }) => unit);
  return [
    ...priceViolations('price', price),
    ...(new Set(units).size === units.length ? [] : [{ field: 'offer', description: 'must not name a unit twice' }]),
    ...offer.flatMap(({ cards }, index) => [
      ...(cards.length <= maxCardsPerUnit
        ? []
        : [{ field: `offer.${index}.cards`, description: `must not have more than ${maxCardsPerUnit} entries` }]),
      ...cards.flatMap((card, at) =>
        (['vendor', 'model', 'interface'] as const).flatMap((name) => unlessShort(`offer.${index}.cards.${at}.${name}`, card[name], 128)),
      ),
    ]),
  ];
}

/** The units that are offered are those that were ordered. */
export function unitViolations({ offer }: Pick<BidSpec, 'offer'>, { spec }: Order): FieldViolation[] {
  const units = new Set((spec?.group?.resources?.units ?? []).map(({ id }) => id));
  return offer.flatMap(({ unit }, index) =>
    units.has(unit)
      ? []
      : [{ field: `offer.${index}.unit`, description: `must be a unit of the order: ${[...units].join(', ') || 'it has none'}` }],
  );
}
