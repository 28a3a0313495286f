import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { nameOf } from '../api/api-object.ts';
import { requestApi } from '../api/call-api.ts';
import { clusterKind } from '../api/object-kind.ts';
import { auditKey } from '../api/use-object.ts';
import { Address } from '../parts/address.tsx';
import { Copy } from '../parts/copy.tsx';
import { Facts } from '../parts/facts.tsx';
import { FieldProblem } from '../parts/field-frame.tsx';
import { Panel } from '../parts/panel.tsx';
import { useSession } from '../session/session.ts';
import type { ClusterObject } from './cluster-object.ts';

/** The way into the cluster: where it is, and the credentials for those who may have them. No secret is fetched before somebody asks. */
export function WayInPanel({ cluster }: { readonly cluster: ClusterObject }) {
  return (
    <Panel title="Access" source="fulfillment">
      <Facts
        facts={[
          ['API', addressOf(cluster.status?.api_url)],
          ['Console', addressOf(cluster.status?.console_url)],
        ]}
      />
      <Credentials cluster={cluster} />
    </Panel>
  );
}

const addressOf = (url = '') => (url === '' ? <span className="dim">not published yet</span> : <Address url={url} />);

function Credentials({ cluster }: { readonly cluster: ClusterObject }) {
  const { rights } = useSession();
  const queries = useQueryClient();
  const [problem, setProblem] = useState<string>();
  const [password, setPassword] = useState<string>();
  const mayGet = (what: string): boolean => rights.has(`/fulfillment.v1.Clusters/Get${what}ViaHttp`);
  if (!mayGet('Kubeconfig') && !mayGet('Password')) {
    return <p className="dim">Its kubeconfig and password are for the tenants that own it and for administrators.</p>;
  }
  const path = (what: string): string => `/api/fulfillment/v1/clusters/${encodeURIComponent(cluster.id)}/${what}`;
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
      setProblem(undefined);
      // What was just recorded is shown below.
      await queries.invalidateQueries({ queryKey: auditKey(clusterKind, cluster.id) });
    } catch (thrown) {
      setProblem(ApiError.from(thrown).message);
    }
  };
  const download = async (): Promise<void> => {
    const answer = await requestApi(path('kubeconfig'), { accept: '*/*' });
    save(await answer.blob(), `${nameOf(cluster)}.kubeconfig`);
  };
  const show = async (): Promise<void> => {
    const answer = await requestApi(path('password'), { accept: '*/*' });
    setPassword(await answer.text());
  };
  return (
    <>
      <div className="button-line">
        {mayGet('Kubeconfig') && (
          <button type="button" className="quiet-button" onClick={() => void attempt(download)}>
            Reveal and download kubeconfig
          </button>
        )}
        {mayGet('Password') &&
          (password === undefined ? (
            <button type="button" className="quiet-button" onClick={() => void attempt(show)}>
              Reveal password
            </button>
          ) : (
            <>
              <code data-testid="cluster-password">{password}</code>
              <Copy text={password} aria-label="Copy password" />
              <button type="button" className="quiet-button" onClick={() => setPassword(undefined)}>
                Hide
              </button>
            </>
          ))}
      </div>
      <p className="dim">What you reveal is recorded in the audit log, with your name and the time.</p>
      <FieldProblem problem={problem} />
    </>
  );
}

function save(content: Blob, fileName: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(link.href);
}
