import { useQueryClient } from '@tanstack/react-query';
import { type SyntheticEvent, useId, useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { nameOf } from '../api/api-object.ts';
import { countOf, formatInteger } from '../model/amounts.ts';
import { Dialog } from '../parts/dialog.tsx';
import { FieldFrame, FieldProblem } from '../parts/field-frame.tsx';
import { useNotify } from '../parts/notice.tsx';
import { useSession } from '../session/session.ts';
import type { NodeSetLine, OrderedCluster } from '../states/node-sets.ts';
import { claimHosts, claimRight, refreshAssigned, useClaimPreview } from './assign-hosts.ts';
import { type Claim, claimWords } from './claim-words.ts';
import { useHostNames } from './host-names.ts';

interface ClaimProps {
  readonly cluster: OrderedCluster;
  readonly line: NodeSetLine;
}

/** How many hosts a node set is short of and why, and the button that gives it some, for those who may. */
export function ClaimButton({ cluster, line }: ClaimProps) {
  const { rights } = useSession();
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const missing = line.wanted - line.hosts.length;
  const isAllowed = rights.has(claimRight);
  const isDeleting = cluster.metadata.deletion_timestamp !== undefined;
  const wish = { cluster: cluster.id, nodeSet: line.name };
  const { claim } = useClaimPreview(wish, { isWanted: missing > 0 && isAllowed && !isDeleting, held: line.hosts.length });
  if (missing < 0) return <span className="dim">{countOf(-missing, 'host')} more than ordered, to be released</span>;
  if (missing === 0) return null;
  const why = isDeleting ? 'the cluster is being deleted' : claim === undefined ? undefined : claimWords(claim);
  const isBlocked = claim === undefined || claim.claimed.length === 0;
  return (
    <>
      <span className="dim" id={id}>
        {countOf(missing, 'host')} missing{why === undefined ? '' : `: ${why}`}
      </span>
      {isAllowed && (
        <button
          type="button"
          className="quiet-button"
          disabled={isBlocked}
          title={isBlocked ? `No host can be claimed${why === undefined ? '' : `: ${why}`}` : undefined}
          aria-describedby={id}
          onClick={() => setOpen(true)}
        >
          Claim hosts …
        </button>
      )}
      <Dialog title={`Claim hosts for ${line.name} of ${nameOf(cluster)}`} isOpen={isOpen} onClose={() => setOpen(false)}>
        <ClaimForm cluster={cluster} line={line} onClose={() => setOpen(false)} />
      </Dialog>
    </>
  );
}

function ClaimForm({ cluster, line, onClose }: ClaimProps & { readonly onClose: () => void }) {
  const queries = useQueryClient();
  const notify = useNotify();
  const [count, setCount] = useState(String(line.wanted));
  const [isAllOrNothing, setAllOrNothing] = useState(false);
  const [problem, setProblem] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const name = nameOf(cluster);
  // What is no number is sent as it was typed, for the service to refuse.
  const wish = { cluster: cluster.id, nodeSet: line.name, count: /^-?\d+$/.test(count) ? Number(count) : count, isAllOrNothing };
  const preview = useClaimPreview(wish, { isWanted: count !== '', held: line.hosts.length });
  const refusal = problem ?? preview.problem ?? undefined;
  const own = refusal?.violations.find(({ field }) => field === 'count')?.description;
  const isNothing = preview.claim?.claimed.length === 0;
  const send = (event: SyntheticEvent): void => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    claimHosts(wish).then(
      (claim) => {
        void refreshAssigned(queries, cluster.id);
        notify(doneWords(claim, line, name));
        onClose();
      },
      (thrown: unknown) => {
        setProblem(ApiError.from(thrown));
        setBusy(false);
      },
    );
  };
  return (
    <form className="form" noValidate onSubmit={send}>
      <FieldFrame
        label="Hosts in all"
        isRequired
        hint={`${formatInteger(line.wanted)} ordered, has ${formatInteger(line.hosts.length)} now. Hosts that it has stay.`}
        problem={own}
      >
        {(control) => (
          <input
            {...control}
            className="field"
            inputMode="numeric"
            value={count}
            onChange={({ currentTarget }) => {
              setProblem(undefined);
              setCount(currentTarget.value);
            }}
          />
        )}
      </FieldFrame>
      <FieldFrame label="All of them or none: claim nothing when there are too few" isCheck>
        {(control) => (
          <input
            {...control}
            type="checkbox"
            checked={isAllOrNothing}
            onChange={({ currentTarget }) => setAllOrNothing(currentTarget.checked)}
          />
        )}
      </FieldFrame>
      {refusal === undefined && <ClaimConsequences claim={preview.claim} cluster={cluster} line={line} />}
      <FieldProblem problem={own === undefined ? refusal?.message : undefined} />
      <div className="form-actions">
        <button
          type="submit"
          className="main-button"
          disabled={isBusy || count === '' || isNothing || preview.problem !== null}
          title={isNothing ? 'No host would be claimed.' : undefined}
        >
          {preview.claim === undefined || isNothing ? 'Claim hosts' : `Claim ${countOf(preview.claim.claimed.length, 'host')}`}
        </button>
        <button type="button" className="quiet-button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}

/** What will happen, with names and counts. */
function ClaimConsequences({ claim, cluster, line }: ClaimProps & { readonly claim: Claim | undefined }) {
  const names = useHostNames(claim?.claimed ?? []);
  const { tenants } = cluster.metadata;
  if (claim === undefined) return <p className="dim">Checking which hosts are free …</p>;
  const { claimed, missing } = claim;
  return (
    <ul className="consequences" data-testid="claim-consequences">
      {claimed.length > 0 && (
        <li>
          {`${countOf(claimed.length, 'free host')} will belong to the cluster ${nameOf(cluster)}${tenants.length === 0 ? '' : ` of ${tenants.join(', ')}`}: ${names}. Where somebody else is faster, others of the class are taken instead.`}
        </li>
      )}
      {claimed.length === 0 && (
        <li>{missing === 0 ? `${line.name} has that many hosts already: none will be claimed.` : 'No host will be claimed.'}</li>
      )}
      {missing > 0 && <li>{`${countOf(missing, 'host')} will still be missing: ${claimWords({ ...claim, claimed: [] })}.`}</li>}
      {claimed.length > 0 && <li>Nobody else can claim them until they are released.</li>}
    </ul>
  );
}

const doneWords = ({ claimed, missing }: Claim, { name }: NodeSetLine, cluster: string): string =>
  `Claimed ${countOf(claimed.length, 'host')} for ${name} of ${cluster}.${missing === 0 ? '' : ` ${countOf(missing, 'host')} still missing.`}`;
