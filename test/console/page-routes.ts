/** The page is made for browsers and has a type check of its own: what is needed of it here is named here. */
interface RoutedPages {
  readonly pages: readonly { readonly routes: readonly { readonly path: string }[] }[];
}

/** The addresses that the page has a view for, as it tells them apart itself: `/nodes/:name`. */
export async function pageRoutes(): Promise<readonly string[]> {
  const { pages } = (await import(new URL('../../apps/console/src/page/pages.ts', import.meta.url).pathname)) as RoutedPages;
  return pages.flatMap(({ routes }) => routes.map(({ path }) => path));
}
