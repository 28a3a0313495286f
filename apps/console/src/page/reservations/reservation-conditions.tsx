import type { ReservationConditionJson, ReservationJson } from '@quartermaster/api/cluster';
import { orderText, placeWord, reasonWords } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { momentOf } from '../api/api-words.ts';
import { sentenceCase } from '../model/amounts.ts';
import { Panel } from '../parts/panel.tsx';
import { Dot } from '../parts/state-word.tsx';
import { ForHowLong } from '../parts/time-ago.tsx';
import { conditionTone } from './reservation-columns.tsx';
import { placeHref, shortOrder } from './reservation-words.ts';
import { reservationHref } from './use-reservations.ts';

interface ReservationConditionsProps {
  readonly reservation: ReservationJson;
  readonly isLastKnown: boolean;
}

/** What is the matter with a reservation, with the others that share the place. */
export function ReservationConditions({ reservation: { conditions = [] }, isLastKnown }: ReservationConditionsProps) {
  return (
    <Panel title="Conditions" isLastKnown={isLastKnown}>
      {conditions.length === 0 && <p className="empty-line">None: what is promised is there.</p>}
      <ul className="conditions">
        {conditions.map((condition) => (
          <li key={condition.type}>
            <Dot tone={conditionTone([condition])} />
            <strong>{sentenceCase(reasonWords(condition.type ?? ''))}</strong>
            <div>
              {sentenceCase(condition.message ?? '')}
              <Sharing condition={condition} />
            </div>
            <span className="dim">
              <ForHowLong since={momentOf(condition.since)} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Place({ place }: { readonly place: string }) {
  const href = placeHref(place);
  return href === undefined ? <span>{placeWord(place)}</span> : <Link href={href}>{placeWord(place)}</Link>;
}

/** Where it is so, and who has a part in it. */
function Sharing({ condition: { places = [], reservations = [] } }: { readonly condition: ReservationConditionJson }) {
  return (
    <>
      {places.length > 0 && (
        <p className="sharing">
          <span className="dim">Where</span>
          {places.map((place) => (
            <Place key={place} place={place} />
          ))}
        </p>
      )}
      {reservations.length > 0 && (
        <p className="sharing">
          <span className="dim">Shared with</span>
          {reservations.map((order) => (
            <Link key={orderText(order)} href={reservationHref(order)} className="mono" title={orderText(order)}>
              {shortOrder(order)}
            </Link>
          ))}
        </p>
      )}
    </>
  );
}
