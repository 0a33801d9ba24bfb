// The operations about people, until api.gen.ts has them.

export type ShareLink = {
  id: string;
  tracker: string;
  title: string;
  from: string | null;
  to: string | null;
  days: number;
  hasPassword: boolean;
  createdBy: string;
  createdAt: string;
  expiresAt: string;
  revokedAt: string | null;
  viewedAt: string | null;
  views: number;
};
export type ShareRequest = {
  tracker: string;
  title?: string;
  days?: number;
  from?: string;
  to?: string;
  expiresAt: string;
  password?: string;
};
type Op<Body, Response, Query = undefined> = { query: Query; body: Body; response: Response };

declare module "../api.gen" {
  interface Operations {
    "GET /v1/shares": Op<undefined, { shares: ShareLink[] }>;
    "POST /v1/shares": Op<ShareRequest, { share: ShareLink; url: string }>;
    "DELETE /v1/shares/{id}": Op<undefined, { share: ShareLink }>;
  }
}
