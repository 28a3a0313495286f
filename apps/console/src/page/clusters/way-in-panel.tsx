import { CopyButton } from '@mantine/core';
import { useState } from 'react';
import { nameOf } from '../api/api-object.ts';
import { ApiError } from '../http/api-error.ts';
import { requestApi } from '../http/call-api.ts';
import { Panel } from '../parts/panel.tsx';
import { useSession } from '../session/use-session.ts';
import type { ClusterObject } from './cluster-object.ts';

/** The way into the cluster: where it is, and the credentials for those who may have them. No secret is fetched before somebody asks. */
export function WayInPanel({ cluster }: { readonly cluster: ClusterObject }) {
  return (
    <Panel title="Way in" source="fulfillment">
      <dl className="facts-list">
        <div>
          <dt>API</dt>
          <dd>
            <Address url={cluster.status?.api_url} />
          </dd>
        </div>
        <div>
          <dt>Console</dt>
          <dd>
            <Address url={cluster.status?.console_url} />
          </dd>
        </div>
      </dl>
      <Credentials cluster={cluster} />
    </Panel>
  );
}

/** Only addresses that a browser may safely follow are links. */
function Address({ url = '' }: { readonly url: string | undefined }) {
  if (url === '') return <span className="dim">not published yet</span>;
  if (!/^https?:\/\//.test(url)) return <code>{url}</code>;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener" className="mono">
      {url}
    </a>
  );
}

function Credentials({ cluster }: { readonly cluster: ClusterObject }) {
  const { rights } = useSession();
  const [problem, setProblem] = useState<string>();
  const [password, setPassword] = useState<string>();
  const mayGet = (what: string): boolean => rights.has(`/fulfillment.v1.Clusters/Get${what}ViaHttp`);
  if (!mayGet('Kubeconfig') && !mayGet('Password')) return null;
  const path = (what: string): string => `/api/fulfillment/v1/clusters/${encodeURIComponent(cluster.id)}/${what}`;
  const attempt = async (act: () => Promise<void>): Promise<void> => {
    try {
      await act();
      setProblem(undefined);
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
            Download kubeconfig
          </button>
        )}
        {mayGet('Password') &&
          (password === undefined ? (
            <button type="button" className="quiet-button" onClick={() => void attempt(show)}>
              Show password
            </button>
          ) : (
            <>
              <code data-testid="cluster-password">{password}</code>
              <CopyButton value={password} timeout={2000}>
                {({ copied, copy }) => (
                  <button type="button" className="quiet-button" onClick={copy} aria-label="Copy password">
                    {copied ? 'copied' : 'copy'}
                  </button>
                )}
              </CopyButton>
              <button type="button" className="quiet-button" onClick={() => setPassword(undefined)}>
                Hide
              </button>
            </>
          ))}
      </div>
      {problem !== undefined && (
        <p className="field-problem" role="alert">
          {problem}
        </p>
      )}
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
