import type { LeaseHostnameJson, RunningLeaseJson } from '@quartermaster/api/cluster';
import { orderText } from '@quartermaster/api/states';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { callApi } from '../api/call-api.ts';
import { leaseKey, leaseNumbers } from '../lease-model/lease-words.ts';
import { hostnamesPath, leaseObstacle, leasePath, leasesPath, useLeases } from '../lease-model/use-leases.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Choices, FieldFrame, FieldProblem } from '../parts/field-frame.tsx';
import { useNotify } from '../parts/notice.tsx';
import { useSubmit } from '../parts/use-submit.ts';
import { clusterServicePath, serviceKey, useClusterAccess } from '../upstreams/use-cluster-service.ts';

interface TransferProps {
  readonly lease: RunningLeaseJson;
  readonly hostname: LeaseHostnameJson;
}

/** Gives a hostname to another lease of the same tenant, in one step. */
export function TransferButton({ lease, hostname }: TransferProps) {
  const [isOpen, setOpen] = useState(false);
  const obstacle = leaseObstacle(useClusterAccess());
  const close = (): void => setOpen(false);
  return (
    <>
      <button type="button" className="quiet-button" disabled={obstacle !== undefined} title={obstacle} onClick={() => setOpen(true)}>
        Transfer
      </button>
      <Dialog title={`Transfer ${hostname.hostname ?? ''}`} isOpen={isOpen} onClose={close}>
        <TransferForm lease={lease} hostname={hostname} onClose={close} />
      </Dialog>
    </>
  );
}

const pageSize = 1_000;

function TransferForm({ lease, hostname: { hostname = '' }, onClose }: TransferProps & { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const notify = useNotify();
  const { data } = useLeases({ owner: lease.order?.owner, pageSize });
  const [wanted, setWanted] = useState('');
  const [service, setService] = useState('');
  const others = (data?.leases ?? []).filter((each) => leaseKey(each) !== leaseKey(lease) && each.state !== 'LEASE_RUN_STATE_COMPLETE');
  const target = others.find((each) => leaseKey(each) === wanted);
  const isReady = target !== undefined && service !== '';
  const { submit, isBusy, problem } = useSubmit(isReady, async () => {
    const body = { hostname, order: target?.order, service };
    await callApi(`${clusterServicePath}${hostnamesPath}:transfer`, { method: 'POST', body });
    notify(`${hostname} now belongs to ${leaseNumbers(target?.order ?? {})}.`);
    for (const path of [leasesPath, hostnamesPath, leasePath(lease.order ?? {})])
      void queries.invalidateQueries({ queryKey: [serviceKey, path] });
    onClose();
  });
  return (
    <form className="form" noValidate onSubmit={submit}>
      <ul className="consequences">
        <li>{`${hostname} moves to another lease of ${lease.order?.owner ?? 'the tenant'} in one step: at no moment is it without a lease.`}</li>
        <li>{`The workload of ${leaseNumbers(lease.order ?? {})} keeps running.`}</li>
      </ul>
      {data !== undefined && others.length === 0 ? (
        <p className="empty-line">The tenant has no other lease at this provider.</p>
      ) : (
        <>
          <FieldFrame label="To the lease" isRequired>
            {(control) => (
              <select
                {...control}
                className="field"
                value={wanted}
                onChange={({ currentTarget }) => {
                  setWanted(currentTarget.value);
                  setService('');
                }}
              >
                <option value="">{data === undefined ? 'Loading the leases …' : 'choose one'}</option>
                <Choices
                  choices={Object.fromEntries(others.map((each) => [leaseKey(each), leaseNumbers(each.order ?? {})]))}
                  value={wanted}
                />
              </select>
            )}
          </FieldFrame>
          <FieldFrame
            label="To the service"
            isRequired
            hint={target === undefined ? 'Choose the lease first.' : orderText(target.order ?? {})}
          >
            {(control) => (
              <select {...control} className="field" value={service} onChange={({ currentTarget }) => setService(currentTarget.value)}>
                <option value="">choose one</option>
                <Choices choices={Object.fromEntries((target?.services ?? []).map(({ name = '' }) => [name, name]))} value={service} />
              </select>
            )}
          </FieldFrame>
        </>
      )}
      <FieldProblem problem={problem} />
      <div className="form-actions">
        <button
          type="submit"
          className="main-button"
          disabled={!isReady || isBusy}
          title={isReady ? undefined : 'Choose a lease and a service first.'}
        >
          Transfer
        </button>
        <button type="button" className="quiet-button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
