import type { IAuthenticateGeneric, ICredentialTestRequest, ICredentialType, INodeProperties } from "n8n-workflow";

export class EarshotApi implements ICredentialType {
  name = "earshotApi";

  displayName = "Earshot API";

  icon = "file:../nodes/Earshot/earshot.svg" as const;

  documentationUrl = "https://www.npmjs.com/package/n8n-nodes-earshot";

  properties: INodeProperties[] = [
    {
      displayName: "Base URL",
      name: "baseUrl",
      type: "string",
      default: "http://127.0.0.1:8080",
      required: true,
      description: "The address of your Earshot service",
    },
    {
      displayName: "API Key",
      name: "apiKey",
      type: "string",
      typeOptions: { password: true },
      default: "",
      required: true,
      placeholder: "ear_live_…",
    },
    {
      displayName: "Webhook Secret",
      name: "webhookSecret",
      type: "string",
      typeOptions: { password: true },
      default: "",
      placeholder: "whsec_…",
      description: "The organization's webhook secret. Only the trigger needs it.",
    },
  ];

  authenticate: IAuthenticateGeneric = {
    type: "generic",
    properties: { headers: { Authorization: "=Bearer {{$credentials.apiKey}}" } },
  };

  test: ICredentialTestRequest = { request: { baseURL: "={{$credentials.baseUrl}}", url: "/v1/credits" } };
}
