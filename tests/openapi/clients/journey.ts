// Runs the steps of ../journey.py with a generated TypeScript client (typescript-fetch).

import {
    AuthenticationApi, CheckAnswerToJSON, CheckCollectionToJSON, CompanyApi, Configuration, PayrollApi,
    ResponseError, WorkerApi,
} from "./client";

const OPEN = "851000000002008", PROCESSED = "851000000002005";

async function main([basePath, clientId, clientSecret]: string[]) {
    const open = new AuthenticationApi(new Configuration({ basePath }));
    const token = await open.createToken({ clientId, clientSecret, grantType: "client_credentials" });
    // For OAuth, the generated client sends the given text as the complete value of the header.
    const configuration = new Configuration({ basePath, accessToken: `Bearer ${token.accessToken}` });
    const payroll = new PayrollApi(configuration);
    const companies = await new CompanyApi(configuration).listCompanies({ displayid: "00010001" });
    const companyId = companies.content[0].companyId;
    const worker = (await new WorkerApi(configuration).listWorkers({ companyId })).content[0];

    const check = {
        workerId: worker.workerId, payPeriodId: OPEN, checkCorrelationId: "typescript-1",
        earnings: [
            { componentId: "851000000001001", payHours: "7.25" },
            { componentId: "851000000001004", payAmount: "75.25" },
        ],
    };
    const added = await payroll.addChecks({ companyId, checkInput: [check] });
    const opened = await payroll.listChecks({ companyId, payperiodid: OPEN });
    const processed = await payroll.listChecks({ companyId, payperiodid: PROCESSED });
    let refused: string | undefined;
    try {
        await payroll.addChecks({ companyId, checkInput: [{ ...check, workerId: "nobody" }] });
    } catch (refusal) {
        refused = (await (refusal as ResponseError).response.json()).errors[0].code;
    }
    const last = opened.content[opened.content.length - 1], first = processed.content[0];
    const typed = {
        openHours: last.earnings?.[0].payHours, openRate: last.earnings?.[0].payRate,
        openAmount: last.earnings?.[1].payAmount,
        netPay: first.netPay, grossEarnings: first.grossEarnings, tax: first.taxes?.[0].amount,
        hours: first.earnings?.[0].hours, amount: first.earnings?.[0].amount,
    };
    console.log(JSON.stringify({
        added: CheckAnswerToJSON(added), open: CheckCollectionToJSON(opened),
        processed: CheckCollectionToJSON(processed), typed, refused,
    }));
}

main(process.argv.slice(2)).catch((error) => { console.error(error); process.exit(1); });
