import type { ReservationCondition } from '@quartermaster/api/reservation';
import { type Condition, conditionTime, removeCondition, setCondition } from '@quartermaster/controller';
import type { Reservation } from '../model/reservation.ts';
import type { ReservationObjects } from './reservation-objects.ts';
import type { ReservationWriter } from './reservation-writer.ts';

export interface ConditionWriter {
  readonly reservations: Pick<ReservationWriter, 'write'>;
  readonly objects: Pick<ReservationObjects, 'setStatus'>;
}

/** Has the object say so, or no longer where `said` is undefined. Writes nothing where it says that already. For a duty in its turn. */
export async function tellCondition(
  { reservations, objects }: ConditionWriter,
  standing: Reservation,
  type: string,
  said: Pick<Condition, 'reason' | 'message'> | undefined,
  now: number,
): Promise<Reservation> {
  const before: readonly Condition[] = standing.conditions ?? [];
  const after =
    said === undefined
      ? removeCondition(before, type)
      : setCondition(before, { ...said, type, status: 'True' }, conditionTime(now)).conditions;
  if (after === before) return standing;
  return await reservations.write(standing, () => objects.setStatus(standing, { conditions: after.map(asWritten) }));
}

/** An object has no generation that they would tell of: only its plan changes under them. */
const asWritten = ({ type, status, reason, message, lastTransitionTime }: Condition): ReservationCondition => ({
  ...{ type, status, reason, message, lastTransitionTime },
});
