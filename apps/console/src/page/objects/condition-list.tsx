import type { ApiCondition } from '../api/api-object.ts';
import { conditionOf, momentOf } from '../api/api-words.ts';
import { Dot } from '../parts/state-word.tsx';
import { Since } from '../parts/time-ago.tsx';

/** What is the matter with an object, each with since when and why. */
export function ConditionList({ conditions, none }: { readonly conditions: readonly ApiCondition[]; readonly none: string }) {
  if (conditions.length === 0) return <p className="empty-line">{none}</p>;
  return (
    <ul className="conditions">
      {conditions.map((condition) => {
        const { word, says, tone } = conditionOf(condition);
        const since = momentOf(condition.last_transition_time);
        return (
          <li key={condition.type}>
            <Dot tone={tone} />
            <strong>
              {word} {says === 'True' ? '' : says.toLowerCase()}
            </strong>
            <span>
              {[condition.reason ?? '', condition.message ?? ''].filter((text) => text !== '').join(': ') || (
                <span className="dim">no reason given</span>
              )}
            </span>
            <span className="dim">
              {since === undefined ? (
                ''
              ) : (
                <>
                  for <Since at={since} />
                </>
              )}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
