import type { Installation } from '../../installation-view.ts';
import { useLive } from '../live/use-live.ts';
import { kubectlCommands } from '../model/kubectl-commands.ts';
import { partsHeadline } from '../model/part-order.ts';
import { CopyLine } from '../parts/copy.tsx';
import { Panel } from '../parts/panel.tsx';
import { Since } from '../parts/time-ago.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { partsOf, useInstallation } from '../upstreams/use-installation.ts';
import { ClusterGlance } from './cluster-glance.tsx';
import { FaultsPanel } from './faults-panel.tsx';
import { GpuTable } from './gpu-table.tsx';
import { PartsTable } from './parts-table.tsx';

/** What runs, whether it is well, what the cluster has, and how to reach it. */
export function OverviewPage() {
  const { summary } = useLive();
  const view = useInstallation();
  const installation = view?.installation;
  const kubernetes = installation?.kubernetes ?? 'given';
  const parts = partsOf(view);
  return (
    <>
      <header className="page-head">
        <h1>Overview</h1>
        {installation !== undefined && <InstallationLine installation={installation} />}
      </header>
      <Panel title="Cluster" source="cluster">
        {summary === undefined ? <Waiting /> : <ClusterGlance summary={summary} kubernetes={kubernetes} />}
      </Panel>
      {summary !== undefined && (
        <Panel title="GPUs by model" source="cluster">
          <GpuTable kubernetes={kubernetes} />
        </Panel>
      )}
      {view?.faults !== undefined && <FaultsPanel faults={view.faults} />}
      {view !== undefined && (
        <Panel title="Components" aside={partsHeadline(parts)} source="server">
          <PartsTable parts={parts} />
        </Panel>
      )}
      {installation !== undefined && (
        <Panel title="Use kubectl" aside={<span className="mono">{installation.server}</span>}>
          {kubectlCommands(installation.kubeconfig).map(({ command, why }) => (
            <CopyLine key={command} text={command} note={why} />
          ))}
        </Panel>
      )}
    </>
  );
}

// which Kubernetes -> what a person should know about it
const clusterKinds: Readonly<Record<Installation['installation']['kubernetes'], string>> = {
  simulated: 'Simulated cluster',
  real: 'Real control plane, simulated nodes',
  given: 'Your cluster',
};

function InstallationLine({ installation }: { readonly installation: Installation['installation'] }) {
  const { version, startedAt, scenario, dataDirectory, kubernetes } = installation;
  return (
    <p className="dim facts-line">
      <span>{clusterKinds[kubernetes]}</span>
      {scenario !== undefined && (
        <span>
          scenario <span className="mono">{scenario}</span>
        </span>
      )}
      <span>
        up for <Since at={startedAt} />
      </span>
      {dataDirectory === undefined ? (
        <span>no data is kept after it stops</span>
      ) : (
        <span>
          data in <span className="mono">{dataDirectory}</span>
        </span>
      )}
      <span>version {version}</span>
    </p>
  );
}
