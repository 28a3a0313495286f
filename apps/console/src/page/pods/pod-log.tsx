import { useEffect, useRef, useState } from 'react';
import type { PodDetail } from '../../kubernetes-view.ts';
import { countOf, sentenceCase } from '../model/amounts.ts';
import { Choices } from '../parts/field-frame.tsx';
import { Panel } from '../parts/panel.tsx';
import { useQuery, useQueryChange } from '../parts/table/use-query.ts';
import { usePodLog } from './use-pod-log.ts';

/** The log of one container: which one, whether it is followed, and that of before the last restart. The choice is in the address. */
export function PodLog({ pod }: { readonly pod: PodDetail }) {
  const [chosen] = useQuery('container');
  const [previous] = useQuery('previous');
  const [follow] = useQuery('follow');
  const change = useQueryChange();
  const [attempt, setAttempt] = useState(0);
  const { namespace, name, containers } = pod;
  const main = containers.find(({ isInit }) => !isInit) ?? containers[0];
  const container = containers.find((each) => each.name === chosen) ?? main;
  const isPrevious = previous === '1';
  const isFollowed = !isPrevious && follow !== '0';
  const hasPrevious = (container?.restarts ?? 0) > 0;
  if (container === undefined) return null;
  const asked = { namespace, name, container: container.name, isFollowed, isPrevious, attempt };
  return (
    <Panel title="Log">
      <div className="log-choices">
        <label>
          Container{' '}
          <select className="field" value={container.name} onChange={({ currentTarget }) => change({ container: currentTarget.value })}>
            <Choices choices={Object.fromEntries(containers.map((each) => [each.name, containerWords(each)]))} value={container.name} />
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={isFollowed}
            disabled={isPrevious}
            onChange={({ currentTarget }) => change({ follow: currentTarget.checked ? null : '0' })}
          />{' '}
          Follow
        </label>
        <label title={hasPrevious ? undefined : 'This container has not been restarted.'}>
          <input
            type="checkbox"
            checked={isPrevious}
            disabled={!hasPrevious && !isPrevious}
            onChange={({ currentTarget }) => change({ previous: currentTarget.checked ? '1' : null })}
          />{' '}
          Before the last restart
        </label>
        <button type="button" className="quiet-button" onClick={() => setAttempt(attempt + 1)}>
          Load again
        </button>
      </div>
      <LogLines key={`${container.name} ${isPrevious}`} asked={asked} />
    </Panel>
  );
}

const containerWords = ({ name, isInit }: PodDetail['containers'][number]): string => (isInit ? `${name} (init)` : name);

function LogLines({ asked }: { readonly asked: Parameters<typeof usePodLog>[0] }) {
  const { text, dropped, state, problem } = usePodLog(asked);
  const box = useRef<HTMLPreElement>(null);
  const isAtEnd = useRef(true);
  // Nothing moves under the hand: it follows the end only where somebody left it there.
  useEffect(() => {
    if (text !== '' && isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight });
  }, [text]);
  const follow = (): void => {
    const { scrollTop = 0, scrollHeight = 0, clientHeight = 0 } = box.current ?? {};
    isAtEnd.current = scrollHeight - scrollTop - clientHeight < 40;
  };
  return (
    <>
      {state === 'failed' && (
        <p className="field-problem" role="alert">
          {`The log cannot be shown: ${sentenceCase(problem ?? '')}`}
        </p>
      )}
      {text === '' ? (
        state !== 'failed' && <p className="empty-line">{emptyWords(state, asked.isFollowed)}</p>
      ) : (
        <pre ref={box} className="log" role="log" aria-label={`Log of ${asked.container}`} tabIndex={0} onScroll={follow}>
          {text}
        </pre>
      )}
      <p className="dim log-note">
        {dropped > 0 && `${countOf(dropped, 'older line')} not shown. `}
        {text !== '' && state === 'reading' && asked.isFollowed && 'Following.'}
        {text !== '' && state === 'ended' && (asked.isFollowed ? 'The log has ended.' : 'The last 500 lines at most.')}
      </p>
    </>
  );
}

const emptyWords = (state: string, isFollowed: boolean): string =>
  state === 'ended' ? 'The container has written nothing.' : isFollowed ? 'Nothing yet. Waiting for lines …' : 'Loading the log …';
