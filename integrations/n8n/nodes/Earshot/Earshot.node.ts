import {
  type IDataObject,
  type IExecuteFunctions,
  type ILoadOptionsFunctions,
  type INodeExecutionData,
  type INodePropertyOptions,
  type INodeType,
  type INodeTypeDescription,
  NodeConnectionTypes,
} from "n8n-workflow";
import { run } from "./operations";
import { properties } from "./properties";
import { requestJson } from "./request";

export class Earshot implements INodeType {
  description: INodeTypeDescription = {
    displayName: "Earshot",
    name: "earshot",
    icon: "file:earshot.svg",
    group: ["transform"],
    version: 1,
    subtitle: '={{ $parameter.operation + ": " + $parameter.resource }}',
    description: "Ask AI assistants and search engines, and track brands in their answers",
    defaults: { name: "Earshot" },
    usableAsTool: true,
    inputs: [NodeConnectionTypes.Main],
    outputs: [NodeConnectionTypes.Main],
    credentials: [{ name: "earshotApi", required: true }],
    properties,
  };

  methods = {
    loadOptions: {
      async getTrackers(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
        const { trackers } = await requestJson(this, { path: "/v1/trackers" });
        return (trackers as IDataObject[]).map(({ name, title }) => ({ name: title as string, value: name as string }));
      },
    },
  };

  async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
    const output: INodeExecutionData[] = [];
    for (const item of this.getInputData().keys()) {
      try {
        const rows = await run(this, item);
        output.push(...rows.map((json) => ({ json, pairedItem: { item } })));
      } catch (error) {
        if (!this.continueOnFail()) throw error;
        output.push({ json: { error: (error as Error).message }, pairedItem: { item } });
      }
    }
    return [output];
  }
}
