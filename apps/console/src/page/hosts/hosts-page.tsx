import { useMemo, useState } from 'react';
import { useLocation } from 'wouter';
import { clusterKind, hostClassKind, hostKind, may } from '../api/object-kind.ts';
import { useNamesOf } from '../objects/names-of.ts';
import { ObjectTable } from '../objects/object-table.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { useSession } from '../session/use-session.ts';
import { type Host, hostHref } from './host.ts';
import { hostColumns } from './host-columns.tsx';
import { HostForm } from './host-form.tsx';

// words -> filter
const staffExamples = {
  free: 'this.status.cluster == ""',
  'in use': 'this.status.cluster != ""',
  failed: 'this.status.state == HOST_STATE_FAILED',
  'without a class': 'this.spec.class == ""',
  'made by hand': 'this.status.source.name == ""',
};
const tenantExamples = { failed: 'this.status.state == HOST_STATE_FAILED', off: 'this.status.power_state == HOST_POWER_STATE_OFF' };

/** Every host that the session may see. */
export function HostsPage() {
  const session = useSession();
  const [, navigate] = useLocation();
  const [isCreating, setCreating] = useState(false);
  const clusters = useNamesOf(clusterKind);
  const classes = useNamesOf(hostClassKind);
  const { isStaff } = session;
  const columns = useMemo(() => hostColumns({ clusters, classes }, isStaff), [clusters, classes, isStaff]);
  const known = useMemo(() => ({ 'spec.class': classes, 'status.cluster': clusters }), [classes, clusters]);
  const mayCreate = isStaff && may(session, 'Create', hostKind);
  return (
    <>
      <ObjectTable<Host>
        kind={hostKind}
        title="Hosts"
        layout={isStaff ? 'host' : 'tenant-host'}
        columns={columns}
        defaultOrder="name"
        hrefOf={({ id }) => hostHref(id)}
        filterHint={isStaff ? 'this.spec.rack == "r1" && this.status.cluster == ""' : 'this.status.state == HOST_STATE_READY'}
        examples={isStaff ? staffExamples : tenantExamples}
        known={known}
        actions={
          mayCreate && (
            <button type="button" className="main-button" onClick={() => setCreating(true)}>
              New host
            </button>
          )
        }
        empty={
          isStaff ? (
            <p>
              There are no hosts. Sources bring them in, <code>quartermaster create host</code> makes one, and so does the button above.
            </p>
          ) : (
            <p>None of your clusters has a host yet. Hosts appear here as soon as one is assigned.</p>
          )
        }
      />
      <Dialog title="New host" isOpen={isCreating} onClose={() => setCreating(false)} size={760}>
        <HostForm onSaved={({ id }) => navigate(hostHref(id))} onCancel={() => setCreating(false)} />
      </Dialog>
    </>
  );
}
