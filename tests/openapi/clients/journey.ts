// Runs the steps of ../journey.py with a generated TypeScript client (typescript-fetch).

import { execFileSync } from "node:child_process";
import * as api from "./client";

const OPEN = "851000000002008", PROCESSED = "851000000002005";

/** Reads the lists of a company, and hires a worker of this company. */
async function hire(configuration: api.Configuration) {
    const company = new api.CompanyApi(configuration), workers = new api.WorkerApi(configuration);
    const companies = await company.listCompanies({ displayid: "00010001" });
    const companyId = companies.content[0].companyId;
    const components = await new api.PayrollApi(configuration).listPayComponents({ companyId });
    const jobs = await company.listCompanyJobs({ companyId });
    const locations = await company.listLocations({ companyId });
    const hired = await workers.addWorkers({ companyId, workerInput: [{
        workerCorrelationId: "typescript-1", workerType: "EMPLOYEE", employmentType: "FULL_TIME",
        hireDate: "2021-06-07", name: { familyName: "Sample", givenName: "Ann" },
        legalId: { legalIdType: "SSN", legalIdValue: "900123456" },
        organization: { organizationId: "851000000006003" }, locationId: locations.content[0].locationId,
    }] });
    const workerId = hired.content[0].workerId!; // absent only in the response of a dry run
    const worker = await workers.getWorker({ workerId });
    const changed = await workers.changeWorker({ workerId, workerChange: { clockId: "4117" } });
    return {
        companyId, workerId, changed, hired, printed: {
            companies: api.CompanyCollectionToJSON(companies), components: api.PayComponentCollectionToJSON(components),
            jobs: api.CompanyJobCollectionToJSON(jobs), locations: api.LocationCollectionToJSON(locations),
            hired: api.CreatedWorkerAnswerToJSON(hired), worker: api.WorkerAnswerToJSON(worker),
            changed: api.WorkerAnswerToJSON(changed),
        },
    };
}

/** Adds the parts of a worker that are needed for pay. */
async function setUp(workers: api.WorkerApi, workerId: string) {
    const communication = await workers.addCommunication({ workerId, communicationInput: {
        type: "PHONE", usageType: "BUSINESS", dialArea: "585", dialNumber: "5550100",
    } });
    const rate = await workers.addPayRate({ workerId, payRateInput: {
        rateNumber: "RATE_1", rateType: "HOURLY_RATE", amount: "23.505", _default: true, startDate: "2021-06-07",
    } });
    const federal = await workers.setFederalTax({ workerId, federalTaxInput: {
        filingStatus: "MARRIED_FILING_JOINTLY", multipleJobs: "true", dependentsAmount: "500.00",
    } });
    const federalChanged = await workers.changeFederalTax({ workerId, federalTaxChange: {
        filingStatus: "HEAD_OF_HOUSEHOLD", extraWithholdingAmount: "10.50",
    } });
    const state = { countrySubdivisionCode: "OH", taxStatusType: "WITHHOLD", isResidentState: true };
    const states = await workers.changeStateTaxes({ workerId, stateTaxPatchInner: [
        { op: "add", path: "/workerTaxes/new", value: state },
        { op: "add", path: "/workerTaxes/new/additionalAmount", value: "5.25" },
    ] });
    const deposit = await workers.addDirectDeposit({ workerId, directDepositInput: {
        paymentType: "PERCENTAGE", accountType: "SAVINGS", value: "10",
        routingNumber: "122100024", accountNumber: "5550001234",
    } });
    const recurring = await workers.addRecurringComponent({ workerId, recurringComponentInput: {
        componentId: "851000000001016", calculationType: "FLAT_DOLLAR_AMOUNT", value: "25.00",
    } });
    return {
        communication: api.CreatedCommunicationAnswerToJSON(communication),
        rate: api.CreatedPayRateAnswerToJSON(rate),
        federal: api.FederalTaxAnswerToJSON(federal), federalChanged: api.FederalTaxAnswerToJSON(federalChanged),
        states: api.StateTaxAnswerToJSON(states), deposit: api.CreatedDirectDepositAnswerToJSON(deposit),
        recurring: api.CreatedRecurringComponentAnswerToJSON(recurring),
    };
}

/** Adds a check and a line of this check, and sends an invalid request. */
async function pay(payroll: api.PayrollApi, companyId: string, workerId: string) {
    const check = {
        workerId, payPeriodId: OPEN, checkCorrelationId: "typescript-1",
        earnings: [{ componentId: "851000000001001", payHours: "7.25" }],
    };
    const added = await payroll.addChecks({ companyId, checkInput: [check] });
    const line = await payroll.addCheckLine({
        checkId: added.content[0].paycheckId!, checkLineInput: { componentId: "851000000001004", payAmount: "75.25" },
    });
    let rejected: string | undefined;
    try {
        await payroll.addChecks({ companyId, checkInput: [{ ...check, workerId: "nobody" }] });
    } catch (rejection) {
        rejected = (await (rejection as api.ResponseError).response.json()).errors[0].code;
    }
    return {
        lines: line.content[0].earnings,
        printed: { added: api.CheckAnswerToJSON(added), line: api.UnprocessedCheckAnswerToJSON(line), rejected },
    };
}

async function main([basePath, clientId, clientSecret]: string[]) {
    const open = new api.AuthenticationApi(new api.Configuration({ basePath }));
    const token = await open.createToken({ clientId, clientSecret, grantType: "client_credentials" });
    // For OAuth, this generator sends the given text as the complete value of the header.
    const configuration = new api.Configuration({ basePath, accessToken: `Bearer ${token.accessToken}` });
    const workers = new api.WorkerApi(configuration), payroll = new api.PayrollApi(configuration);
    const { companyId, workerId, hired, changed, printed: hiring } = await hire(configuration);
    const parts = await setUp(workers, workerId);
    const { lines, printed: paid } = await pay(payroll, companyId, workerId);

    execFileSync("python3", [process.env.ACTIVATE!, workerId]);
    const statusChanged = await workers.changeWorker({ workerId, workerChange: {
        currentStatus: { statusType: "INACTIVE", statusReason: "DISABILITY" },
    } });
    const statuses = await workers.listStatuses({ workerId });
    const communications = await workers.listCommunicationsOfWorker({ workerId });
    const rates = await workers.listPayRates({ workerId });
    const federalTax = await workers.getFederalTax({ workerId });
    const stateTaxes = await workers.listStateTaxes({ workerId });
    const deposits = await workers.listDirectDeposits({ workerId });
    const recurring = await workers.listRecurringComponents({ workerId });
    const ownChecks = await payroll.listChecksOfWorker({ workerId, payperiodid: OPEN });
    const opened = await payroll.listChecks({ companyId, payperiodid: OPEN });
    const processed = await payroll.listChecks({ companyId, payperiodid: PROCESSED });

    const deposit = deposits.content[0], status = statuses.content[0], done = processed.content[0];
    const typed = {
        familyName: hired.content[0].name.familyName, clockId: changed.content[0].clockId,
        rate: rates.content[0].amount, default: rates.content[0]._default,
        filingStatus: federalTax.content[0].filingStatus, multipleJobs: federalTax.content[0].multipleJobs,
        resident: stateTaxes.content[0].isResidentState, depositStatus: deposit.status,
        account: deposit.accountNumber, recurring: recurring.content[0].value,
        status: status.statusType, order: status.order,
        openHours: lines?.[0].payHours, openRate: lines?.[0].payRate, openAmount: lines?.[1].payAmount,
        netPay: done.netPay, grossEarnings: done.grossEarnings, tax: done.taxes?.[0].amount,
        hours: done.earnings?.[0].hours, amount: done.earnings?.[0].amount,
    };
    console.log(JSON.stringify({
        ...hiring, ...parts, ...paid, typed, statusChanged: api.WorkerAnswerToJSON(statusChanged),
        statuses: api.StatusEntryCollectionToJSON(statuses), rates: api.PayRateCollectionToJSON(rates),
        communications: api.CommunicationCollectionToJSON(communications),
        federalTax: api.FederalTaxAnswerToJSON(federalTax), stateTaxes: api.StateTaxAnswerToJSON(stateTaxes),
        deposits: api.DirectDepositCollectionToJSON(deposits),
        recurringComponents: api.RecurringComponentCollectionToJSON(recurring),
        ownChecks: api.CheckCollectionToJSON(ownChecks), open: api.CheckCollectionToJSON(opened),
        processed: api.CheckCollectionToJSON(processed),
    }));
}

main(process.argv.slice(2)).catch((error) => { console.error(error); process.exit(1); });
