import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { problemOf, problemText } from '../api/api-error.ts';
import { nameOf } from '../api/api-object.ts';
import { callApi } from '../api/call-api.ts';
import { deploymentKind, leaseKind, objectHref } from '../api/object-kind.ts';
import { listsKey, objectKey } from '../api/use-object.ts';
import type { RouteParams } from '../frame/console-page.ts';
import { ObjectPage } from '../objects/object-page.tsx';
import { FieldProblem } from '../parts/field-frame.tsx';
import { useNotify } from '../parts/notice.tsx';
import { usePageTitle } from '../parts/page-title.ts';
import { useSubmit } from '../parts/use-submit.ts';
import { Ghosts } from '../parts/waiting.tsx';
import { marketPath } from '../upstreams/use-market.ts';
import { ChangesPanel } from './changes-panel.tsx';
import type { DeploymentObject } from './market-objects.ts';
import { SdlEditor } from './sdl-editor.tsx';
import { unconfirmed, updateObstacle } from './update-obstacle.ts';
import { usePreview } from './use-preview.ts';

export const updateHref = (id: string): string => `${objectHref(deploymentKind, id)}/update`;

/**
 * Changes what a deployment runs: what that would change stands below before it is done, and data is lost only after a yes to each volume.
 * For those who may preview, which the market lets tenants do alone: nobody else sees the SDL that they would replace.
 */
export function UpdatePage({ params }: { readonly params: RouteParams }) {
  return (
    <ObjectPage<DeploymentObject> kind={deploymentKind} params={params}>
      {(deployment) => <Opened deployment={deployment} />}
    </ObjectPage>
  );
}

const deploymentPath = (id: string): string => `${marketPath}/deployments/${encodeURIComponent(id)}`;

/** The SDL as it is now. */
function Opened({ deployment }: { readonly deployment: DeploymentObject }) {
  const { id } = deployment;
  usePageTitle('Update', nameOf(deployment), 'Deployments');
  const { data, error, failureReason } = useQuery({
    queryKey: ['opened sdl', id],
    queryFn: ({ signal }) =>
      callApi<{ readonly spec?: { readonly sdl?: string } }>(deploymentPath(id), { query: { reveal: true }, signal }),
    // It may hold passwords: none of it stays in memory, and what is being edited is not replaced.
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const problem = problemOf(error ?? failureReason);
  if (data !== undefined) return <Editing deployment={deployment} now={data.spec?.sdl ?? ''} />;
  if (problem === undefined) return <Ghosts>Opening the SDL …</Ghosts>;
  return (
    <p className="stale-notice" role="alert">
      The SDL cannot be opened. {problemText(problem, 'market')}
    </p>
  );
}

function Editing({ deployment, now }: { readonly deployment: DeploymentObject; readonly now: string }) {
  const { id } = deployment;
  const [, navigate] = useLocation();
  const queries = useQueryClient();
  const notify = useNotify();
  const [sdl, setSdl] = useState(now);
  const [confirmed, setConfirmed] = useState<ReadonlySet<string>>(new Set());
  const { preview, isCurrent, problem } = usePreview(id, sdl, sdl !== now);
  const faults = preview?.faults ?? [];
  const missing = unconfirmed(preview, confirmed);
  const obstacle = updateObstacle({ isEmpty: sdl.trim() === '', isSame: sdl === now, isCurrent, preview, missing });
  const {
    submit,
    isBusy,
    problem: refusal,
  } = useSubmit(obstacle === undefined, async () => {
    const confirm = (preview?.lost_volumes ?? []).filter((volume) => confirmed.has(volume));
    const query = new URLSearchParams([['update_mask', 'spec.sdl'], ...confirm.map((volume) => ['confirm', volume])]);
    await callApi<DeploymentObject>(`${deploymentPath(id)}?${query}`, { method: 'PATCH', body: { id, spec: { sdl } } });
    void queries.invalidateQueries({ queryKey: objectKey(deploymentKind, id) });
    void queries.invalidateQueries({ queryKey: listsKey(leaseKind) });
    notify(`Updated deployment ${nameOf(deployment)}. Its provider rolls the changes out.`);
    navigate(objectHref(deploymentKind, id));
  });
  return (
    <form className="form deploy-form" noValidate onSubmit={submit}>
      <header className="page-head">
        <h1>Update {nameOf(deployment) === id ? `deployment ${id}` : nameOf(deployment)}</h1>
        <p className="dim">
          Images, environment, commands and hostnames may change; resources, counts and prices stay as they were ordered.
        </p>
      </header>
      <SdlEditor sdl={sdl} faults={faults} onChange={setSdl} />
      {problem !== undefined && (
        <p className="stale-notice" role="alert">
          The preview is not available. {problemText(problem, 'market')}
        </p>
      )}
      {sdl !== now && faults.length === 0 && preview !== undefined && (
        <ChangesPanel
          preview={preview}
          confirmed={confirmed}
          onConfirm={(volume, isConfirmed) => {
            const next = new Set(confirmed);
            if (isConfirmed) next.add(volume);
            else next.delete(volume);
            setConfirmed(next);
          }}
        />
      )}
      <FieldProblem problem={refusal} />
      <div className="form-actions">
        <button
          type="submit"
          className={confirmed.size > 0 && missing.length === 0 ? 'danger-button' : 'main-button'}
          disabled={obstacle !== undefined || isBusy}
          title={obstacle}
        >
          Update
        </button>
        <button type="button" className="quiet-button" onClick={() => navigate(objectHref(deploymentKind, id))}>
          Cancel
        </button>
        {obstacle !== undefined && <span className="dim deploy-obstacle">{obstacle}</span>}
      </div>
    </form>
  );
}
