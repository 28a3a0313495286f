import type { NodeDetail } from '@quartermaster/api/inventory-views';
import { countOf } from '../model/amounts.ts';
import { GpuBox } from '../parts/gpu-box.tsx';
import { Panel } from '../parts/panel.tsx';
import { useQuery } from '../parts/table/use-query.ts';

/** One box for each card: what it is, how it is, who holds it. */
export function NodeGpus({ detail: { gpus, models, nvlinkDomain } }: { readonly detail: NodeDetail }) {
  const [chosen] = useQuery('gpu');
  if (gpus.length === 0 && models.length === 0) return null;
  return (
    <Panel title="GPUs" source="cluster" aside={countOf(gpus.length, 'card')}>
      {gpus.length === 0 ? (
        <>
          <p className="empty-line">
            The kubelet counts GPUs here, but no discovery agent has reported the cards yet: which card a pod holds is unknown.
          </p>
          {models.map(({ name, architecture, computeCapability, migProfiles }) => (
            <p key={name} className="dim">
              {[name, architecture, computeCapability && `compute ${computeCapability}`, migProfiles && `MIG: ${migProfiles.join(' ')}`]
                .filter((text) => text !== undefined)
                .join(' · ')}
            </p>
          ))}
        </>
      ) : (
        <ul className="gpu-boxes">
          {gpus.map((gpu) => (
            <GpuBox key={gpu.id} gpu={gpu} isChosen={gpu.id === chosen} />
          ))}
        </ul>
      )}
      {nvlinkDomain !== undefined && (
        <p className="dim">
          NVLink domain <span className="mono">{nvlinkDomain}</span>
        </p>
      )}
    </Panel>
  );
}
