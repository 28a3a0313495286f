import { useMemo, useSyncExternalStore } from 'react';
import { useNow } from '../live/use-live.ts';
import { countOf, sentenceCase } from '../model/amounts.ts';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { EventTable } from './event-table.ts';
import { StreamState } from './stream-state.tsx';
import { streamWords } from './stream-words.ts';
import { useFollowedStream } from './use-followed-stream.ts';

const query = { follow: true };

/** What the provider's cluster says of the lease, the newest first. */
export function LeaseEvents({ lease }: { readonly lease: string }) {
  const table = useMemo(() => {
    void lease;
    return new EventTable();
  }, [lease]);
  const stream = useFollowedStream({ lease, kind: 'kubeevents', query }, table);
  const rows = useSyncExternalStore(table.subscribe, table.current);
  useNow();
  const { isLastKnown } = streamWords(stream, Date.now());
  return (
    <Panel title="Events" isLastKnown={isLastKnown} aside={countOf(rows.length, 'event')}>
      {rows.length === 0 ? (
        <p className="empty-line">
          {stream.state.kind === 'following'
            ? 'Nothing has been reported. Clusters forget events after an hour or so.'
            : 'No event has been read yet.'}
        </p>
      ) : (
        <PlainTable headings={['Type', 'Reason', 'Object', 'What', 'Times']} numbers={['Times']} layout="lease-table lease-events">
          {rows.map(({ key, times, event: { type, reason, note, reportingController, object } }) => (
            <tr key={key}>
              <td>
                <StateWord tone={type === 'Normal' ? 'plain' : 'held'} word={type} />
              </td>
              <td>{reason}</td>
              <td className="mono">{`${object.kind}/${object.name}`}</td>
              <td title={reportingController}>{sentenceCase(note)}</td>
              <td className="number">{times}</td>
            </tr>
          ))}
        </PlainTable>
      )}
      <p className="dim log-note">
        <StreamState stream={stream} />
      </p>
    </Panel>
  );
}
