import { useMemo, useSyncExternalStore } from 'react';
import { useNow } from '../live/use-live.ts';
import { countOf } from '../model/amounts.ts';
import { Choices } from '../parts/field-frame.tsx';
import { Panel } from '../parts/panel.tsx';
import { useQuery, useQueryChange } from '../parts/table/use-query.ts';
import { LeaseLog } from './lease-log.ts';
import { mostLines } from './log-book.ts';
import { CopyLog, LogView } from './log-view.tsx';
import { StreamState } from './stream-state.tsx';
import { streamWords } from './stream-words.ts';
import { useFollowedStream } from './use-followed-stream.ts';

/** Lines of each pod to begin with. */
const tail = 1_000;

interface LeaseLogsProps {
  readonly lease: string;
  readonly services: readonly string[];
}

/** What the services of a lease write, as they write it. What is chosen is in the address. */
export function LeaseLogs({ lease, services }: LeaseLogsProps) {
  const [chosen] = useQuery('service');
  const service = chosen ?? '';
  const log = useMemo(() => {
    void [lease, service];
    return new LeaseLog();
  }, [lease, service]);
  const [follow] = useQuery('follow');
  const [wrap] = useQuery('wrap');
  const [find] = useQuery('find');
  const change = useQueryChange();
  const isFollowed = follow !== '0';
  const query = { service: service === '' ? undefined : service, follow: isFollowed, tail };
  const stream = useFollowedStream({ lease, kind: 'logs', query }, log);
  const book = useSyncExternalStore(log.subscribe, log.current);
  useNow();
  const { isLastKnown, isOver } = streamWords(stream, Date.now());
  const filter = find ?? '';
  return (
    <Panel title="Logs" isLastKnown={isLastKnown} aside={book.dropped > 0 && `the last ${countOf(mostLines, 'line')} at most`}>
      <div className="log-choices">
        <label>
          Service{' '}
          <select className="field" value={service} onChange={({ currentTarget }) => change({ service: currentTarget.value })}>
            <option value="">all</option>
            <Choices choices={Object.fromEntries(services.map((each) => [each, each]))} value={service} />
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={isFollowed}
            onChange={({ currentTarget }) => change({ follow: currentTarget.checked ? null : '0' })}
          />{' '}
          Follow
        </label>
        <label>
          <input
            type="checkbox"
            checked={wrap !== '0'}
            onChange={({ currentTarget }) => change({ wrap: currentTarget.checked ? null : '0' })}
          />{' '}
          Wrap
        </label>
        <input
          className="field log-find"
          type="search"
          aria-label="Filter lines"
          placeholder="filter: words in a line"
          value={filter}
          onChange={({ currentTarget }) => change({ find: currentTarget.value })}
        />
        <CopyLog book={book} filter={filter} />
      </div>
      <LogView
        key={service}
        book={book}
        label={service === '' ? 'Log of all services' : `Log of ${service}`}
        filter={filter}
        isWrapped={wrap !== '0'}
        empty={isOver || isLastKnown ? 'Nothing has been read yet.' : 'Nothing yet. Waiting for lines …'}
      />
      <p className="dim log-note">
        <StreamState stream={stream} />
      </p>
    </Panel>
  );
}
