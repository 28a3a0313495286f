import { useState } from 'react';
import { useLocation } from 'wouter';
import { nameOf } from '../api/api-object.ts';
import { momentOf } from '../api/api-words.ts';
import { hostKind, may } from '../api/object-kind.ts';
import { useObject } from '../api/use-object.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { AuditTimeline } from '../objects/audit-timeline.tsx';
import { ConditionList } from '../objects/condition-list.tsx';
import { CopyId } from '../objects/copy-id.tsx';
import { DeleteDialog } from '../objects/delete-dialog.tsx';
import { ObjectWaiting } from '../objects/object-waiting.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Panel } from '../parts/panel.tsx';
import { StateWord } from '../parts/state-word.tsx';
import { TimeAgo } from '../parts/time-ago.tsx';
import { useSession } from '../session/use-session.ts';
import type { Host } from './host.ts';
import { HostChain } from './host-chain.tsx';
import { HostFacts } from './host-facts.tsx';
import { HostForm } from './host-form.tsx';
import { hostState, powerWords } from './host-state.ts';

/** One host: where it is in the chain, what it is, who says so, how it is, and what happened to it. */
export function HostPage({ params }: { readonly params: RouteParams }) {
  const id = params['id'] ?? '';
  const { data: host, error } = useObject<Host>(hostKind, id);
  if (host === undefined || error?.code === 'not_found') return <ObjectWaiting kind={hostKind} id={id} error={error} href="/hosts" />;
  return <KnownHost host={host} />;
}

function KnownHost({ host }: { readonly host: Host }) {
  const session = useSession();
  const [, navigate] = useLocation();
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const { word, tone } = hostState(host);
  const made = momentOf(host.metadata.creation_timestamp);
  const close = (): void => setOpen(undefined);
  return (
    <>
      <header className="page-head">
        <HostChain host={host} />
        <h1>{nameOf(host)}</h1>
        <StateWord tone={tone} word={word} />
        <p className="dim">power {powerWords(host)}</p>
        <div className="page-actions">
          {may(session, 'Update', hostKind) && (
            <button type="button" className="quiet-button" onClick={() => setOpen('edit')}>
              Edit
            </button>
          )}
          {may(session, 'Delete', hostKind) && (
            <button type="button" className="quiet-button danger-link" onClick={() => setOpen('delete')}>
              Delete
            </button>
          )}
        </div>
      </header>
      <Panel title="Conditions" source="fulfillment">
        <ConditionList conditions={host.status?.conditions ?? []} none="No controller has said anything about this host yet." />
      </Panel>
      <HostFacts host={host} />
      <AuditTimeline kind={hostKind} id={host.id} />
      <p className="dim">
        <CopyId id={host.id} />{' '}
        {made !== undefined && (
          <>
            made <TimeAgo at={made} />
          </>
        )}
        {(host.metadata.creators ?? []).length > 0 && ` by ${host.metadata.creators?.join(', ')}`}, version {host.metadata.version}
      </p>
      <Dialog title={`Edit ${nameOf(host)}`} isOpen={open === 'edit'} onClose={close} size={760}>
        <HostForm host={host} onSaved={close} onCancel={close} />
      </Dialog>
      <DeleteDialog
        kind={hostKind}
        object={host}
        consequences={consequencesOf(host)}
        isGrave={isTaken(host)}
        isOpen={open === 'delete'}
        onClose={close}
        onDeleted={() => navigate('/hosts')}
      />
    </>
  );
}

const isTaken = ({ status }: Host): boolean => (status?.cluster ?? '') !== '' || (status?.host_pool ?? '') !== '';

function consequencesOf(host: Host): readonly string[] {
  const source = host.status?.source?.name ?? '';
  const waits = host.metadata.finalizers ?? [];
  return [
    `The host ${nameOf(host)} goes, with its BMC password. Its history stays in the audit log.`,
    ...((host.status?.cluster ?? '') === ''
      ? []
      : [`The cluster ${host.status?.cluster} has it: the service refuses until it is released.`]),
    ...((host.status?.host_pool ?? '') === '' ? [] : [`The host pool ${host.status?.host_pool} holds it: take it out of the pool first.`]),
    ...(source === '' ? [] : [`The source ${source} brought it in, and brings it in again as long as it knows it.`]),
    ...(waits.length === 0 ? [] : [`It stays, marked as deleted, until ${waits.join(', ')} let it go.`]),
  ];
}
