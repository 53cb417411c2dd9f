// Pages of lists and of the event feed.
import type { Event } from "./generated/api.js";
import { ResponseError } from "./errors.js";

/** The default number of elements of a page. It limits a page of any list to about 1 MB. */
export const DEFAULT_PAGE_SIZE = 100;

/** A page of the event feed. */
export interface EventPage {
  /** The events in their order. Empty if there are no new ones. */
  events: Event[];
  /** The position after these events. Store the cursor, and continue from it. */
  cursor: string | undefined;
}

interface Page {
  content: unknown[];
  links?: { rel: string; href: string }[];
}

/**
 * Returns the query of the link to the next page. Only the query is used, so a response cannot direct the
 * token to another server.
 */
export function nextQuery(page: Page): URLSearchParams | undefined {
  const href = page.links?.find((link) => link.rel === "next")?.href;
  return href === undefined ? undefined : new URL(href).searchParams;
}

/** Reads all elements. `read` returns the page for a query. */
export async function* elements(first: URLSearchParams, read: (query: URLSearchParams) => Promise<Page>): AsyncGenerator<unknown, void, undefined> {
  let query: URLSearchParams | undefined = first;
  while (query !== undefined) {
    const page: Page = await read(query);
    yield* page.content;
    const next = nextQuery(page);
    if (next?.toString() === query.toString()) {
      throw new ResponseError("the link to the next page leads to the same page");
    }
    query = next;
  }
}
