import { conditionOf, conditionWhy } from '@quartermaster/api/states';
import type { ApiCondition } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { Panel } from '../parts/panel.tsx';
import { Dot } from '../parts/state-word.tsx';
import { ForHowLong } from '../parts/time-ago.tsx';

/** What is the matter with an object, each with since when and why. */
export function ConditionsPanel({ conditions = [] }: { readonly conditions: readonly ApiCondition[] | undefined }) {
  return (
    <Panel title="Conditions" source="fulfillment">
      {conditions.length === 0 && <p className="empty-line">No controller has reported a condition yet.</p>}
      <ul className="conditions">
        {conditions.map((condition) => {
          const { word, says, tone } = conditionOf(condition);
          const why = conditionWhy(condition);
          const hasMessage = (condition.message ?? '') !== '' && (condition.reason ?? '') !== '';
          return (
            <li key={condition.type}>
              <Dot tone={tone} />
              <strong>
                {word} {says === 'True' ? '' : says.toLowerCase()}
              </strong>
              <span>{why === '' ? <span className="dim">no reason given</span> : hasMessage ? `${condition.reason}: ${why}` : why}</span>
              <span className="dim">
                <ForHowLong since={momentOf(condition.last_transition_time)} />
              </span>
            </li>
          );
        })}
      </ul>
    </Panel>
  );
}
