import type { NodeDetail, ReasonView } from '@quartermaster/api/inventory-views';
import { fillTone, fillWord, reasonWords, type Tone } from '@quartermaster/api/states';
import { useCallback, useRef, useState } from 'react';
import { explainEvent, usePageEvent } from '../model/page-events.ts';
import { Panel } from '../parts/panel.tsx';
import { Dot, StateWord } from '../parts/state-word.tsx';
import { ForHowLong } from '../parts/time-ago.tsx';

const answers: Readonly<Record<NodeDetail['state'], string>> = {
  sellable: 'Yes: new workloads can be placed here.',
  'held-back': 'No: nothing new is placed here until this changes.',
  unknown: 'Unknown: the node does not report. The values shown are the last known, and nothing new is placed on it.',
};

/** Why it is, or is not, sellable. Open when the answer is not yes, and by the key e. */
export function NodeWhy({ detail }: { readonly detail: NodeDetail }) {
  const { state, reasons, conditions } = detail;
  const [isAsked, setAsked] = useState(false);
  const section = useRef<HTMLDivElement>(null);
  const explain = useCallback(() => {
    setAsked((before) => !before);
    section.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  usePageEvent(explainEvent, explain);
  const holding = new Set(reasons.map(({ code }) => code));
  const others = conditions.filter(({ code }) => !holding.has(code));
  const isOpen = state !== 'sellable' || others.length > 0 || isAsked;
  const tone = fillTone(state);
  return (
    <div id="why" ref={section}>
      <Panel title={state === 'sellable' ? 'Why is it sellable?' : 'Why is it not sellable?'} source="cluster">
        <p className="why-answer">
          <StateWord tone={tone} word={fillWord(state)} />
          <span>{answers[state]}</span>
          {state === 'sellable' && others.length === 0 && (
            <button type="button" className="quiet-button" aria-expanded={isOpen} onClick={() => setAsked(!isAsked)}>
              {isOpen ? 'close' : 'explain'}
            </button>
          )}
        </p>
        {isOpen && reasons.length === 0 && others.length === 0 && (
          <p className="dim why-none">
            Its kubelet reports Ready and no pressure, it is not cordoned, no taint keeps tenants away, the configuration does not exclude
            it, and it is not over-committed.
          </p>
        )}
        {isOpen && (
          <ul className="needs">
            {[...reasons, ...others].map((reason) => (
              <ReasonLine key={`${reason.code} ${reason.message}`} reason={reason} tone={holding.has(reason.code) ? tone : 'plain'} />
            ))}
          </ul>
        )}
      </Panel>
    </div>
  );
}

interface ReasonLineProps {
  readonly reason: ReasonView;
  /** Plain for what does not affect the node. */
  readonly tone: Tone;
}

function ReasonLine({ reason: { code, message, since }, tone }: ReasonLineProps) {
  return (
    <li>
      <Dot tone={tone} />
      <div>
        <strong>{reasonWords(code)}</strong>
        <ForHowLong since={since} />
        {tone === 'plain' && <span className="dim"> does not affect the node</span>}
        <p>{message}</p>
      </div>
    </li>
  );
}
