import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { type ApiObject, nameOf } from '../api/api-object.ts';
import { countOf } from '../model/amounts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FieldFrame, FieldProblem } from '../parts/field-frame.tsx';
import { useNotify } from '../parts/notice.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { useSession } from '../session/session.ts';
import { nodeSetLines, type OrderedCluster } from '../states/node-sets.ts';
import { refreshAssigned, releaseHosts, releaseRight } from './assign-hosts.ts';

interface ReleaseProps {
  readonly cluster: OrderedCluster;
  /** Those that can be chosen; a single one is. */
  readonly hosts: readonly ApiObject[];
  /** On the button. */
  readonly label: string;
}

/** Takes hosts from a cluster, for those who may. */
export function ReleaseButton({ cluster, hosts, label }: ReleaseProps) {
  const { rights } = useSession();
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  if (!rights.has(releaseRight) || hosts.length === 0) return null;
  return (
    <>
      <button type="button" className="quiet-button danger-link" onClick={() => setOpen(true)}>
        {label}
      </button>
      <Dialog title={`Release hosts from ${nameOf(cluster)}`} isOpen={isOpen} onClose={close}>
        <ReleaseForm cluster={cluster} hosts={hosts} onClose={close} />
      </Dialog>
    </>
  );
}

function ReleaseForm({ cluster, hosts, onClose }: Omit<ReleaseProps, 'label'> & { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const notify = useNotify();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(() => new Set(hosts.length === 1 ? hosts.map(({ id }) => id) : []));
  const [typed, setTyped] = useState('');
  const name = nameOf(cluster);
  const leaving = hosts.filter(({ id }) => chosen.has(id));
  const isReady = leaving.length > 0 && typed === name;
  const { submit, isBusy, problem } = useSubmit(isReady, async () => {
    const released = await releaseHosts(
      cluster.id,
      leaving.map(({ id }) => id),
    );
    void refreshAssigned(queries, cluster.id);
    notify(`Released ${countOf(released.length, 'host')} from ${name}.`);
    onClose();
  });
  return (
    <form className="form" noValidate onSubmit={submit}>
      {hosts.length > 1 && <HostChoice hosts={hosts} chosen={chosen} onChange={setChosen} />}
      <ul className="consequences">
        {consequencesOf(cluster, leaving).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <FieldFrame
        label={
          <>
            Type <code>{name}</code> to confirm
          </>
        }
      >
        {(control) => (
          <input {...control} className="field mono" value={typed} onChange={({ currentTarget }) => setTyped(currentTarget.value)} />
        )}
      </FieldFrame>
      <FieldProblem problem={problem} />
      <div className="form-actions">
        <button
          type="submit"
          className="danger-button"
          disabled={!isReady || isBusy}
          title={leaving.length === 0 ? 'Choose hosts first.' : isReady ? undefined : `Type ${name} first.`}
        >
          {leaving.length === 0 ? 'Release hosts' : `Release ${countOf(leaving.length, 'host')}`}
        </button>
        <button type="button" className="quiet-button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

interface HostChoiceProps {
  readonly hosts: readonly ApiObject[];
  readonly chosen: ReadonlySet<string>;
  readonly onChange: (chosen: ReadonlySet<string>) => void;
}

function HostChoice({ hosts, chosen, onChange }: HostChoiceProps) {
  const toggle = (id: string, isChosen: boolean): void =>
    onChange(new Set(isChosen ? [...chosen, id] : [...chosen].filter((each) => each !== id)));
  const isAll = chosen.size === hosts.length;
  return (
    <fieldset className="form-wide sets-field">
      <legend className="form-legend">Hosts to release</legend>
      <button type="button" className="link-button" onClick={() => onChange(new Set(isAll ? [] : hosts.map(({ id }) => id)))}>
        {isAll ? 'None' : `All ${hosts.length}`}
      </button>
      <div className="host-choice">
        {hosts.map((host) => (
          <label key={host.id}>
            <input type="checkbox" checked={chosen.has(host.id)} onChange={({ currentTarget }) => toggle(host.id, currentTarget.checked)} />{' '}
            {nameOf(host)}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** With names and counts. */
function consequencesOf(cluster: OrderedCluster, leaving: readonly ApiObject[]): readonly string[] {
  if (leaving.length === 0) return ['Nothing is chosen yet.'];
  const gone = new Set(leaving.map(({ id }) => id));
  const shrunk = nodeSetLines(cluster).filter(({ hosts }) => hosts.some((id) => gone.has(id)));
  const { tenants } = cluster.metadata;
  return [
    `${leaving.map(nameOf).join(', ')} will leave the cluster ${nameOf(cluster)}${tenants.length === 0 ? '' : ` of ${tenants.join(', ')}`}, with everything that runs there.`,
    ...shrunk.map(({ name, wanted, hosts }) => {
      const left = hosts.filter((id) => !gone.has(id)).length;
      return `${name} will have ${left} of ${countOf(wanted, 'host')}.`;
    }),
    'They become free, and anybody who may claim hosts can give them to another cluster.',
  ];
}
