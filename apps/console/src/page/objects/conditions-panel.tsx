import { conditionOf } from '@quartermaster/api/states';
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
          const reason = [condition.reason ?? '', condition.message ?? ''].filter((text) => text !== '').join(': ');
          return (
            <li key={condition.type}>
              <Dot tone={tone} />
              <strong>
                {word} {says === 'True' ? '' : says.toLowerCase()}
              </strong>
              <span>{reason === '' ? <span className="dim">no reason given</span> : reason}</span>
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
