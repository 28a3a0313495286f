import { nodeTopic, podKey } from '@quartermaster/api/inventory-views';
import type { Tone } from '@quartermaster/api/states';
import type { ContainerView, PodCondition, PodDetail } from '../../kubernetes-view.ts';
import { useTopic } from '../live/use-topic.ts';
import { countOf, formatBytes, formatCores, formatInteger } from '../model/amounts.ts';
import { Facts } from '../parts/facts.tsx';
import { GpuBox } from '../parts/gpu-box.tsx';
import { Panel } from '../parts/panel.tsx';
import { Dot, StateWord } from '../parts/state-word.tsx';
import { PlainTable } from '../parts/table/plain-table.tsx';
import { ForHowLong } from '../parts/time-ago.tsx';

/** What the pod takes of its node, as the scheduler counts it. */
export function PodRequests({ pod: { requests } }: { readonly pod: PodDetail }) {
  const { cpuMillis, memoryBytes, extended } = requests;
  const devices = Object.entries(extended)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => [name, formatInteger(count)] as const);
  return (
    <Panel title="Requests" aside="as the scheduler counts them">
      <Facts
        layout="amounts"
        facts={[
          ['CPU cores', cpuMillis > 0 ? <span title={`${cpuMillis} millicores`}>{formatCores(cpuMillis)}</span> : 'none'],
          ['Memory', memoryBytes > 0 ? <span title={`${memoryBytes} bytes`}>{formatBytes(memoryBytes)}</span> : 'none'],
          ...devices,
        ]}
      />
    </Panel>
  );
}

/** The cards that the pod holds, where the inventory knows them; nothing for a pod without any. */
export function PodGpus({ pod }: { readonly pod: PodDetail }) {
  const wanted = Object.entries(pod.requests.extended).filter(([name]) => /gpu|mig-/.test(name));
  if (wanted.length === 0 || pod.node === undefined) return null;
  return <PodCards pod={pod} node={pod.node} count={wanted.reduce((sum, [, count]) => sum + count, 0)} />;
}

function PodCards({ pod, node, count }: { readonly pod: PodDetail; readonly node: string; readonly count: number }) {
  const { news, isCurrent } = useTopic(nodeTopic, { name: node });
  const ids = new Set(news?.rows.find((take) => podKey(take) === podKey(pod))?.gpus);
  const cards = news?.head.detail?.gpus.filter(({ id }) => ids.has(id)) ?? [];
  return (
    <Panel title="GPUs" source="cluster" aside={countOf(count, 'GPU')}>
      {cards.length === 0 ? (
        <p className="empty-line">{isCurrent ? 'The inventory does not know which cards the pod holds.' : 'Loading the inventory …'}</p>
      ) : (
        <ul className="gpu-boxes">
          {cards.map((gpu) => (
            <GpuBox key={gpu.id} gpu={gpu} isChosen={false} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

export function PodContainers({ pod: { containers } }: { readonly pod: PodDetail }) {
  return (
    <Panel title="Containers" aside={countOf(containers.length, 'container')}>
      <PlainTable
        layout="container-table"
        headings={['Container', 'State', 'Restarts', 'Requests', 'Limits', 'Image']}
        numbers={['Restarts']}
      >
        {containers.map((container) => (
          <tr key={container.name}>
            <th scope="row" className="mono">
              {container.name}
              {container.isInit && <span className="dim"> init</span>}
            </th>
            <td>
              <StateWord {...containerState(container)} />
            </td>
            <td className="number">{formatInteger(container.restarts)}</td>
            <td>{amountsText(container.requests)}</td>
            <td>{amountsText(container.limits)}</td>
            <td className="mono">{container.image}</td>
          </tr>
        ))}
      </PlainTable>
    </Panel>
  );
}

/** A container that is done is as good as one that runs. */
function containerState({ state, reason, exitCode, isReady }: ContainerView): { readonly tone: Tone; readonly word: string } {
  const why = [reason, exitCode === undefined || exitCode === 0 ? undefined : `exit code ${exitCode}`].filter((text) => text !== undefined);
  const word = (text: string): string => [text, ...why].join(', ');
  if (state === undefined) return { tone: 'unknown', word: 'not reported yet' };
  if (state === 'running') return { tone: isReady ? 'allocated' : 'reserved', word: word(isReady ? 'running' : 'running, not ready') };
  if (state === 'terminated') return { tone: exitCode === 0 ? 'plain' : 'failed', word: word('terminated') };
  return {
    tone: reason === undefined || reason === 'ContainerCreating' || reason === 'PodInitializing' ? 'reserved' : 'failed',
    word: word(state),
  };
}

/** As the manifest has them: `cpu 500m, memory 1Gi`. */
const amountsText = (amounts: Readonly<Record<string, string>>): string =>
  Object.entries(amounts)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, amount]) => `${name} ${amount}`)
    .join(', ') || '–';

export function PodConditions({ pod: { conditions } }: { readonly pod: PodDetail }) {
  return (
    <Panel title="Conditions">
      {conditions.length === 0 && <p className="empty-line">No condition has been reported yet.</p>}
      <ul className="conditions">
        {conditions.map((condition) => (
          <li key={condition.type}>
            <Dot tone={conditionTone(condition)} />
            <strong>
              {condition.type} {condition.status === 'True' ? '' : condition.status.toLowerCase()}
            </strong>
            <span>
              {[condition.reason, condition.message].filter((text) => text !== undefined && text !== '').join(': ') || (
                <span className="dim">no reason given</span>
              )}
            </span>
            <span className="dim">
              <ForHowLong since={condition.since} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const conditionTone = ({ status, reason }: PodCondition): Tone => {
  if (status === 'True' || reason === 'PodCompleted') return 'good';
  return status === 'False' ? 'held' : 'unknown';
};
