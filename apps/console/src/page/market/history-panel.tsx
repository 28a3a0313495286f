import { Panel } from '../parts/panel.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import type { HistoryLine } from './deployment-history.ts';

/** What became of it, the newest first. */
export function HistoryPanel({ lines, isRead }: { readonly lines: readonly HistoryLine[]; readonly isRead: boolean }) {
  return (
    <Panel title="History" aside="the newest first" source="market">
      {!isRead && <p className="empty-line">Loading what became of it …</p>}
      <ol className="timeline">
        {lines.map(({ id, at, text }) => (
          <li key={id}>
            <span className="timeline-when">
              <TimeAgo at={at} />
            </span>
            <p>{text}</p>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
