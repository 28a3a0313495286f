import { hostState, isTaken, powerWords } from '@quartermaster/api/states';
import { nameOf } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { hostKind } from '../api/object-kind.ts';
import { ObjectEvents } from '../events/object-events.tsx';
import type { RouteParams } from '../frame/console-page.ts';
import { ConditionsPanel } from '../objects/conditions-panel.tsx';
import { ObjectPage } from '../objects/object-page.tsx';
import { ObjectView } from '../objects/object-view.tsx';
import { OpenedPanel } from '../objects/opened-panel.tsx';
import { CopyId } from '../parts/copy.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/session.ts';
import type { Host } from './host.ts';
import { HostClaims, HostRelease } from './host-claims.tsx';
import { HostFacts } from './host-facts.tsx';
import { HostForm } from './host-form.tsx';
import { MachineChain } from './machine-chain.tsx';
import { useNodeOfHost } from './use-machine.ts';

/** One host: where it is in the chain, what it is, who says so, how it is, and what happened to it. */
export function HostPage({ params }: { readonly params: RouteParams }) {
  return (
    <ObjectPage<Host> kind={hostKind} params={params}>
      {(host) => (
        <>
          <ObjectView
            kind={hostKind}
            object={host}
            chain={<HostChain host={host} />}
            state={hostState(host)}
            lead={<p className="dim">power {powerWords(host)}</p>}
            form={HostForm}
            formWidth={760}
            consequences={consequencesOf(host)}
            needsConfirmation={isTaken(host)}
            blockedBy={blockedBy(host)}
            actions={<HostRelease host={host} />}
          >
            <HostClaims host={host} />
            <ConditionsPanel conditions={host.status?.conditions} />
            <HostFacts host={host} />
            <NodeEvents host={host} />
            <OpenedPanel kind={hostKind} object={host} />
          </ObjectView>
          <Origin host={host} />
        </>
      )}
    </ObjectPage>
  );
}

function HostChain({ host }: { readonly host: Host }) {
  return <MachineChain here="host" host={{ found: host }} node={useNodeOfHost(host)} />;
}

/** What happened to the node on it. */
function NodeEvents({ host }: { readonly host: Host }) {
  const { isStaff } = useSession();
  const { found } = useNodeOfHost(host);
  return isStaff && found !== undefined ? (
    <ObjectEvents of={{ kind: 'Node', name: found.name }} title={`Events of its node ${found.name}`} />
  ) : null;
}

function Origin({ host: { id, metadata } }: { readonly host: Host }) {
  const { creators = [], version } = metadata;
  const createdAt = momentOf(metadata.creation_timestamp);
  return (
    <p className="dim">
      <CopyId id={id} /> {createdAt !== undefined && 'created '}
      {createdAt !== undefined && <TimeAgo at={createdAt} />}
      {creators.length > 0 && ` by ${creators.join(', ')}`}, version {version}
    </p>
  );
}

/** What the service would say. */
function blockedBy(host: Host): string | undefined {
  const { cluster = '', host_pool: pool = '' } = host.status ?? {};
  if (cluster !== '')
    return `it belongs to the cluster ${cluster}. Release it first. Run: quartermaster release ${cluster} --host ${nameOf(host)}`;
  return pool === '' ? undefined : `it is in the host pool ${pool}. Remove it from the pool first.`;
}

function consequencesOf(host: Host): readonly (string | false)[] {
  const { source: { name: source = '' } = {} } = host.status ?? {};
  const { finalizers = [] } = host.metadata;
  return [
    `The host ${nameOf(host)} is deleted, including its BMC password. Its history stays in the audit log.`,
    source !== '' && `The source ${source} reports it, and creates it again as long as it does.`,
    finalizers.length > 0 && `It stays, marked for deletion, until its finalizers are removed: ${finalizers.join(', ')}.`,
  ];
}
