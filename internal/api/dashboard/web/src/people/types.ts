// The operations about people, until api.gen.ts has them.
import type { Role } from "../api.gen";

export type User = {
  id: string;
  email: string;
  name: string;
  role: Role;
  sources: string[];
  joinedAt: string;
  lastSeenAt: string | null;
  current: boolean;
};
export type Invitation = {
  id: string;
  email: string;
  role: Role;
  invitedBy: string;
  createdAt: string;
  expiresAt: string;
};
export type NewInvitation = { invitation: Invitation; url: string; mailed: boolean };
export type OpenedInvitation = {
  organization: string;
  email: string;
  role: Role;
  hasPassword: boolean;
  usesProvider: boolean;
};
export type BrowserSession = {
  id: string;
  userId: string;
  email: string;
  via: string;
  address: string;
  browser: string;
  createdAt: string;
  lastSeenAt: string;
  expiresAt: string;
  current: boolean;
};
export type AuditEntry = {
  id: string;
  at: string;
  actor: { kind: "key" | "user" | "operator" | "system" | "guest"; id: string; name: string };
  action: string;
  subject: string;
  address: string;
  requestId: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
};
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
type AuditQuery = {
  action?: string;
  actor?: string;
  subject?: string;
  from?: string;
  to?: string;
  limit?: number;
  cursor?: string;
};
export type AcceptRequest = { token: string; name?: string; password: string };
type Op<Body, Response, Query = undefined> = { query: Query; body: Body; response: Response };

declare module "../api.gen" {
  interface Operations {
    "GET /v1/users": Op<undefined, { users: User[] }>;
    "PATCH /v1/users/{id}": Op<{ role: Role }, { user: User }>;
    "DELETE /v1/users/{id}": Op<undefined, { id: string }>;
    "GET /v1/invitations": Op<undefined, { invitations: Invitation[] }>;
    "POST /v1/invitations": Op<{ email: string; role: Role }, NewInvitation>;
    "DELETE /v1/invitations/{id}": Op<undefined, { id: string }>;
    "POST /v1/invitation": Op<{ token: string }, OpenedInvitation>;
    "POST /v1/invitation/accept": Op<AcceptRequest, SessionResponse>;
    "GET /v1/sessions": Op<undefined, { sessions: BrowserSession[] }>;
    "DELETE /v1/sessions/{id}": Op<undefined, { id: string }>;
    "PATCH /v1/session": Op<{ organization: string }, SessionResponse & { session: Session }>;
    "PUT /v1/session/password": Op<{ current: string; new: string }, { success: true }>;
    "GET /v1/audit": Op<undefined, { entries: AuditEntry[]; nextCursor: string | null }, AuditQuery>;
    "GET /v1/shares": Op<undefined, { shares: ShareLink[] }>;
    "POST /v1/shares": Op<ShareRequest, { share: ShareLink; url: string }>;
    "DELETE /v1/shares/{id}": Op<undefined, { share: ShareLink }>;
  }
}
