/** An address of something elsewhere. Only those that a browser may safely follow are links. */
export function Address({ url }: { readonly url: string }) {
  if (!/^https?:\/\//.test(url)) return <code>{url}</code>;
  return (
    <a href={url} target="_blank" rel="noreferrer noopener" className="mono">
      {url}
    </a>
  );
}
