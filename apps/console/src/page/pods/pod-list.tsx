import { Link } from 'wouter';
import type { ConsolePod } from '../../console-source.ts';
import { nodeHref } from '../model/cluster-summary.ts';
import { podTone } from '../model/node-state.ts';
import { podKey } from '../model/pod-filter.ts';
import { Changing } from '../parts/changing.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';

/** Pods in the given order. There are a few hundred at most, so all of them are drawn. */
export function PodList({ pods, empty }: { readonly pods: readonly ConsolePod[]; readonly empty: string }) {
  if (pods.length === 0) return <p className="empty-line">{empty}</p>;
  return (
    <table className="plain-table pod-table" aria-label="Pods that changed last">
      <thead>
        <tr>
          <th scope="col">Pod</th>
          <th scope="col">Namespace</th>
          <th scope="col">Phase</th>
          <th scope="col">Node</th>
          <th scope="col" className="number">
            Changed
          </th>
        </tr>
      </thead>
      <tbody>
        {pods.map((pod) => (
          <tr key={podKey(pod)}>
            <th scope="row" className="mono">
              {pod.name}
            </th>
            <td>{pod.namespace}</td>
            <td>
              <Changing value={pod.phase}>
                <StateWord tone={podTone(pod.phase)} word={pod.phase} />
              </Changing>
            </td>
            <td>
              {pod.node === undefined ? <span className="dim">not placed yet</span> : <Link href={nodeHref(pod.node)}>{pod.node}</Link>}
            </td>
            <td className="number">
              <TimeAgo at={pod.changedAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
