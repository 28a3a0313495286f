import { useMemo } from 'react';
import { problemText } from '../api/api-error.ts';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useInstallation } from '../upstreams/use-installation.ts';
import { lineOfFault, lineOfKubernetesEvent } from './cluster-lines.ts';
import { type EventsOf, useKubernetesEvents } from './use-kubernetes-events.ts';

/** As many as are worth reading; the page of events has more. */
const mostShown = 50;

/** What happened to a node or a pod, the newest first: Events of Kubernetes, and faults that are simulated on it. Nothing where neither can be read. */
export function ObjectEvents({ of, title = 'Events' }: { readonly of: EventsOf; readonly title?: string | undefined }) {
  const view = useInstallation();
  const { list, problem } = useKubernetesEvents(of);
  const history = of.kind === 'Node' ? view?.faults?.history : undefined;
  const lines = useMemo(() => {
    const faults = (history ?? []).filter(({ fault }) => fault.node === of.name).map(lineOfFault);
    return [...(list?.events ?? []).map(lineOfKubernetesEvent), ...faults].toSorted((a, b) => b.at - a.at);
  }, [list, history, of.name]);
  if (view?.kubernetes !== true) return null;
  const isMore = lines.length > mostShown || list?.isComplete === false;
  return (
    <Panel title={title} source="cluster" aside={isMore ? `the newest ${mostShown}` : 'from Kubernetes'}>
      {problem !== undefined && <p className="empty-line">Events cannot be shown. {problemText(problem)}</p>}
      {problem === undefined && lines.length === 0 && (
        <p className="empty-line">
          {list === undefined ? 'Loading the Events …' : 'No Events. Kubernetes keeps them for an hour unless configured otherwise.'}
        </p>
      )}
      <ol className="timeline">
        {lines.slice(0, mostShown).map(({ key, at, tone, word, note }) => (
          <li key={key}>
            <span className="timeline-when">
              <TimeAgo at={at} />
            </span>
            <div>
              <StateWord tone={tone} word={word} />
              <p>{note}</p>
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
