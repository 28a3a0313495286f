import type { MessageInitShape } from '@bufbuild/protobuf';
import type { ReservationConditionSchema } from '@quartermaster/api/cluster';
import { type Condition, conditionsOf } from '../book/conditions.ts';
import type { ReservationBook } from '../book/reservation-book.ts';
import type { Reservation } from '../model/reservation.ts';
import { momentMessage } from './moment-message.ts';
import { orderMessage } from './request-message.ts';

type ShownCondition = Omit<Condition, 'type'> & { readonly type: string };

/** What follows from the book, and what its object records. */
export function shownConditions(book: ReservationBook, { name, conditions = [] }: Reservation): readonly ShownCondition[] {
  const recorded = conditions
    .filter(({ status }) => status === 'True')
    .map(({ type, message, lastTransitionTime }) => ({
      type,
      message,
      since: Date.parse(lastTransitionTime),
      places: [],
      reservations: [],
    }));
  return [...conditionsOf(book, name), ...recorded];
}

export function conditionMessage(
  { type, message, since, places, reservations }: ShownCondition,
  book: ReservationBook,
): MessageInitShape<typeof ReservationConditionSchema> {
  const orders = reservations.flatMap((name) => {
    const other = book.reservation(name);
    return other === undefined ? [] : [orderMessage(other.order)];
  });
  return { type, message, since: momentMessage(since), places: [...places], reservations: orders };
}
