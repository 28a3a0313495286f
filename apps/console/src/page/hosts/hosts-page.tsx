import { useMemo } from 'react';
import { clusterKind, hostClassKind, hostKind } from '../api/object-kind.ts';
import { useWaitingSets } from '../claims/waiting-sets.ts';
import { useNamesOf } from '../objects/names-of.ts';
import { ObjectTable } from '../objects/object-table.tsx';
import { useSession } from '../session/session.ts';
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
  const { isStaff } = useSession();
  const clusters = useNamesOf(clusterKind);
  const classes = useNamesOf(hostClassKind);
  const { sets: waiting } = useWaitingSets();
  const columns = useMemo(() => hostColumns({ clusters, classes, waiting }, isStaff), [clusters, classes, waiting, isStaff]);
  const known = useMemo(() => ({ 'spec.class': classes, 'status.cluster': clusters }), [classes, clusters]);
  return (
    <ObjectTable
      kind={hostKind}
      layout={isStaff ? 'host' : 'tenant-host'}
      columns={columns}
      filterHint={isStaff ? 'filter: words, rack:r1 state:ready class:h100, or CEL' : 'filter: words, state:ready, or CEL'}
      examples={isStaff ? staffExamples : tenantExamples}
      known={known}
      create={isStaff ? { label: 'New host', form: HostForm, formWidth: 760 } : undefined}
      empty={
        isStaff ? (
          <p>
            There are no hosts. Sources report them; the button above and <code>quartermaster create host</code> create one.
          </p>
        ) : (
          <p>None of your clusters has a host yet. Hosts appear here as soon as one is assigned.</p>
        )
      }
    />
  );
}
