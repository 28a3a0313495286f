import type { GpuView, NodeDetail } from '@quartermaster/api/inventory-views';
import { gpuState, reasonWords } from '@quartermaster/api/states';
import { Link } from 'wouter';
import { podHref } from '../model/addresses.ts';
import { countOf } from '../model/amounts.ts';
import { CopyId } from '../parts/copy.tsx';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { ForHowLong } from '../parts/time-ago.tsx';
import { useQuery } from '../parts/use-query.ts';

/** One box for each card: what it is, how it is, who holds it. */
export function NodeGpus({ detail: { gpus, models } }: { readonly detail: NodeDetail }) {
  const [chosen] = useQuery('gpu');
  if (gpus.length === 0 && models.length === 0) return null;
  return (
    <Panel title="GPUs" source="cluster" aside={countOf(gpus.length, 'card')}>
      {gpus.length === 0 ? (
        <p className="empty-line">
          The kubelet counts GPUs here, but no discovery agent has reported the cards yet: which card a pod holds is unknown.
        </p>
      ) : (
        <ul className="gpu-boxes">
          {gpus.map((gpu) => (
            <GpuBox key={gpu.id} gpu={gpu} isChosen={gpu.id === chosen} />
          ))}
        </ul>
      )}
    </Panel>
  );
}

interface GpuBoxProps {
  readonly gpu: GpuView;
  readonly isChosen: boolean;
}

function GpuBox({ gpu, isChosen }: GpuBoxProps) {
  const { id, model, reason, holder, pciAddress, driver, utilization } = gpu;
  const { word, tone } = gpuState(gpu);
  // That a card which nobody holds does nothing goes without saying.
  const isBusyKnown = utilization !== undefined && (utilization > 0 || holder !== undefined);
  return (
    <li className="gpu-box" aria-current={isChosen ? 'true' : undefined}>
      <span className={`gpu-edge fill-${tone}`} aria-hidden="true" />
      <strong>{model}</strong>
      <StateWord tone={tone} word={`${word}${isBusyKnown ? `, ${utilization}\u00a0%\u00a0busy` : ''}`} />
      {holder !== undefined && (
        <span className="wrap">
          held by{' '}
          <Link href={podHref(`${holder.namespace}/${holder.pod}`)}>
            {holder.namespace}/{holder.pod}
          </Link>
        </span>
      )}
      {reason !== undefined && (
        <span className="wrap">
          {reasonWords(reason.code)}
          <ForHowLong since={reason.since} />: {reason.message}
        </span>
      )}
      <span className="dim">
        {[pciAddress, driver === undefined ? undefined : `driver ${driver}`]
          .filter((text) => text !== undefined && text !== '')
          .join(' · ')}
      </span>
      <CopyId id={id} />
    </li>
  );
}
